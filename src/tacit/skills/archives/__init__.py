"""The part of Tacit about archives."""
