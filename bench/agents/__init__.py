"""How well agents are kept from saying what is not so."""
