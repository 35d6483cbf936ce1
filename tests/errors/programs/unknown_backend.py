"""A back end that nobody registered, told before anything is traced.

litz.UserError: there is no back end "lits"; did you mean "litz"?
"""

import litz

litz.compile(lambda x: x + 1, backend="lits")
