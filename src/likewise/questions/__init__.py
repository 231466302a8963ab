"""Questions worth asking: which answers of a person would teach most, and what to make of them."""

from ._answers import Answer as Answer
from ._answers import Answers as Answers
from ._choose import ask as ask
from ._choose import choose as choose
from ._choose import refit_labelings as refit_labelings
from ._dialogue import Dialogue as Dialogue
from ._question import Question as Question
from ._questions import Questions as Questions
