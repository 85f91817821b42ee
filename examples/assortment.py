"""What the shop sells and the words its fictional customers' names are made of."""

from __future__ import annotations

# Category -> products with their list price in euros. Prices never change in the two years.
PRODUCTS: dict[str, tuple[tuple[str, float], ...]] = {
    "Kitchen": (
        ("Chef's Knife", 49.90),
        ("Cutting Board", 24.50),
        ("Cast Iron Pan", 59.00),
        ("Mixing Bowl Set", 32.90),
        ("Espresso Maker", 44.90),
        ("Tea Kettle", 39.50),
        ("Spice Rack", 27.90),
        ("Baking Tin", 16.90),
        ("Salad Spinner", 22.50),
        ("Kitchen Scale", 29.90),
    ),
    "Garden": (
        ("Pruning Shears", 26.90),
        ("Watering Can", 19.90),
        ("Garden Gloves", 12.50),
        ("Hand Trowel", 14.90),
        ("Garden Hose", 38.00),
        ("Plant Pot Large", 23.90),
        ("Raised Bed Kit", 69.00),
        ("Bird Feeder", 21.50),
        ("Compost Bin", 54.90),
        ("Seed Starter Tray", 11.90),
    ),
    "Toys": (
        ("Building Blocks", 34.90),
        ("Wooden Train", 42.00),
        ("Puzzle 1000", 17.90),
        ("Board Game Classic", 29.50),
        ("Plush Bear", 19.50),
        ("Toy Kitchen", 64.90),
        ("Marble Run", 36.90),
        ("Kite", 15.90),
        ("Modelling Clay", 9.90),
        ("Card Game", 12.90),
    ),
    "Sports": (
        ("Yoga Mat", 28.90),
        ("Resistance Bands", 18.50),
        ("Dumbbell Pair", 46.00),
        ("Skipping Rope", 11.50),
        ("Foam Roller", 24.90),
        ("Water Bottle", 16.50),
        ("Badminton Set", 37.90),
        ("Football", 25.90),
        ("Swim Goggles", 14.50),
        ("Bicycle Lock", 33.90),
    ),
    "Office": (
        ("Desk Lamp", 39.90),
        ("Notebook Pack", 13.90),
        ("Fountain Pen", 31.50),
        ("Desk Organiser", 22.90),
        ("Wall Calendar", 12.50),
        ("Monitor Stand", 47.50),
        ("Whiteboard", 52.00),
        ("Paper Trays", 18.90),
        ("Stapler", 11.90),
        ("Footrest", 35.50),
    ),
    "Home": (
        ("Wool Blanket", 56.90),
        ("Cushion Cover", 15.50),
        ("Scented Candle", 13.50),
        ("Picture Frame", 17.50),
        ("Floor Lamp", 68.50),
        ("Storage Basket", 26.50),
        ("Wall Clock", 34.50),
        ("Bath Towel Set", 41.90),
        ("Door Mat", 21.90),
        ("Table Runner", 19.90),
    ),
}

# Relative demand of a category; products within one share it unevenly.
CATEGORY_DEMAND: dict[str, float] = {
    "Kitchen": 0.24,
    "Home": 0.21,
    "Toys": 0.18,
    "Sports": 0.15,
    "Garden": 0.12,
    "Office": 0.10,
}

# Segment -> share of customers.
SEGMENTS: dict[str, float] = {"Consumer": 0.70, "Home office": 0.20, "Small business": 0.10}

# Segment -> expected units beyond the first on an order line.
EXTRA_UNITS: dict[str, float] = {"Consumer": 0.5, "Home office": 0.7, "Small business": 1.0}

# Discount -> share of order lines.
DISCOUNTS: dict[float, float] = {0.0: 0.60, 0.05: 0.15, 0.10: 0.15, 0.20: 0.10}

# Reason -> share of returns.
RETURN_REASONS: dict[str, float] = {
    "damaged": 0.30,
    "wrong item": 0.15,
    "not as described": 0.20,
    "changed mind": 0.35,
}

# fmt: off
FIRST_NAMES: tuple[str, ...] = (
    "Ada", "Amir", "Anna", "Ben", "Carla", "Chen", "Clara", "David", "Elena", "Emil", "Farah",
    "Felix", "Greta", "Hana", "Hugo", "Ines", "Ivan", "Jana", "Jonas", "Karim", "Lara", "Leo",
    "Lina", "Luca", "Maja", "Marco", "Mina", "Nadia", "Nils", "Nora", "Omar", "Oskar", "Paula",
    "Petra", "Rosa", "Samir", "Sofia", "Theo", "Vera", "Yusuf",
)
# fmt: on
# fmt: off
LAST_NAMES: tuple[str, ...] = (
    "Adler", "Bauer", "Berg", "Braun", "Costa", "Dietz", "Egger", "Faber", "Fischer", "Garcia",
    "Gruber", "Haas", "Hansen", "Horvat", "Jansen", "Keller", "Klein", "Kowalski", "Lang",
    "Lehmann", "Lindberg", "Maier", "Marino", "Moreau", "Novak", "Olsen", "Petit", "Popov",
    "Richter", "Rossi", "Sanders", "Schmid", "Silva", "Sommer", "Tanaka", "Urban", "Vogel",
    "Weber", "Winter", "Ziegler",
)
# fmt: on
