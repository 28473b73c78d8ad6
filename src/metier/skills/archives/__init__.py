"""The part of Metier about archives."""
