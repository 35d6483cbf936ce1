"""Litz as a back end of torch.compile. The only part of the package that imports torch."""
