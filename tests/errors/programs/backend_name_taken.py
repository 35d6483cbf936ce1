"""A back end under a name that is taken.

litz.UserError: register_backend: there is a back end "litz" already
"""

import litz

litz.register_backend("litz", lambda graph, options: None)
