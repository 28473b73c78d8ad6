"""What ships: skill packages on disk. Today they are read here; versions, apply and rollback are to come."""
