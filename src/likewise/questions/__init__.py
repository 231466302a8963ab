"""Active learning: choosing the most informative questions about rows, and using the answers as constraints."""

from ._answers import Answer as Answer
from ._answers import Answers as Answers
from ._choose import ask as ask
from ._choose import choose as choose
from ._choose import refit_labelings as refit_labelings
from ._dialogue import Dialogue as Dialogue
from ._question import Question as Question
from ._questions import Questions as Questions
