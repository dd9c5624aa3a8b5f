"""Guards: written as code or trained, checked, and compared with playing without them."""
