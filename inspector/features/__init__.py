"""One headless job per package. No feature imports another; front ends call them."""
