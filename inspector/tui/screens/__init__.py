"""One package per screen: its panel, its model without Textual, its keys, its dialogs."""
