"""What the pages are made of besides prose: taken from the code while the site is built."""
