"""Names that sound alike."""

from __future__ import annotations

import unicodedata

_DIGIT = {
    letter: digit
    for digit, letters in {"1": "bfpv", "2": "cgjkqsxz", "3": "dt", "4": "l", "5": "mn", "6": "r"}.items()
    for letter in letters
}
_SILENT = "hw"


def soundex(name: str) -> str | None:
    """The American Soundex code of a name: its first letter and three digits.

    Similar consonants share a digit; vowels have none. Adjacent letters with the same digit are coded once, also if
    separated by h or w, but twice if separated by a vowel.

    Parameters
    ----------
    name : str
        Accents are removed, and characters other than a to z are ignored.

    Returns
    -------
    str, or None if the name has no such letter

    References
    ----------
    The Soundex indexing system, U.S. National Archives.

    Examples
    --------
    >>> from likewise.sources._phonetic import soundex
    >>> soundex("Robert"), soundex("Rupert"), soundex("Ashcraft"), soundex("Müller")
    ('R163', 'R163', 'A261', 'M460')
    """
    plain = unicodedata.normalize("NFKD", name.casefold())
    letters = [letter for letter in plain if "a" <= letter <= "z"]
    if not letters:
        return None
    first, *rest = letters
    code, before = first.upper(), _DIGIT.get(first)
    for letter in rest:
        if letter in _SILENT:
            continue
        digit = _DIGIT.get(letter)
        if digit is not None and digit != before:
            code += digit
        before = digit
    return code[:4].ljust(4, "0")
