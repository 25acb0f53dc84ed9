"""The traffic list as plain data: columns, rows, tree, filter."""
