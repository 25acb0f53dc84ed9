"""The screens: each is a package with its panel, its model without Textual, its dialogs and its table `actions.txt`."""
