"""What a mesh of five processes takes, and what becomes of it when it is offered more."""
