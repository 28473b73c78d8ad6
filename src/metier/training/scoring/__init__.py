"""The part of Metier about scoring."""
