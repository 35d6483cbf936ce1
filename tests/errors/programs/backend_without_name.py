"""A back end without a name.

litz.UserError: register_backend: name must be a text that is not empty, got ''
"""

import litz

litz.register_backend("", lambda graph, options: None)
