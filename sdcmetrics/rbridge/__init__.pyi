# Where each name is: it is imported when it is first used.

from .disclosures import Disclosure as Disclosure
from .disclosures import disclosure as disclosure
from .disclosures import multi_disclosure as multi_disclosure
from .disclosures import replicated_uniques as replicated_uniques
from .fits import FitComparison as FitComparison
from .fits import glm_fit as glm_fit
from .fits import lm_fit as lm_fit
from .fits import multinom_fit as multinom_fit
from .fits import polr_fit as polr_fit
from .generate import from_rpy2 as from_rpy2
from .generate import read_synds as read_synds
from .generate import syn as syn
from .generate import write_rds as write_rds
from .session import RError as RError
from .session import Session as Session
from .session import default_session as default_session
from .state import Status as Status
from .state import status as status
from .synds import Synds as Synds
from .synds import as_synds as as_synds
from .utility import Comparison as Comparison
from .utility import PropensityUtility as PropensityUtility
from .utility import compare as compare
from .utility import utility_gen as utility_gen
from .utility import utility_tab as utility_tab
from .utility import utility_tables as utility_tables
