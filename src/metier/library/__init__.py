"""What ships: skill packages on disk, their versions, and every change of them with its undo."""
