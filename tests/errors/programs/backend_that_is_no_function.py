"""A back end that cannot be called.

litz.UserError: register_backend: function must be callable, got str
"""

import litz

litz.register_backend("mine", "function")
