"""What programs that use servers do with a surface: dated facts, each with its source, and the matrix made of them."""
