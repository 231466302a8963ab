"""The studio's page in a real browser, check by check: keys, undo, contradictions, tabs."""

import re

import pytest

from studio_process import FRAMES, answer, card, cards, hints, kept, last_words, looking, say, true_key, undone


def test_check_01_the_link_opens_a_question(page, studio):
    assert re.fullmatch(r"http://127\.0\.0\.1:\d+/#[\w-]{16,}", studio.links[0])
    assert "300 rows" in page.first_screen
    assert "north" in page.first_screen, "the values of two rows"
    for words in ("Same", "Different", "Can't say"):
        assert words in page.first_screen
    assert page.errors == []


def test_check_02_nothing_leaves(browser, page, studio):
    with looking(browser) as opened:
        outside = []
        allowed = (studio.address, f"blob:{studio.address}")

        def cut(route):
            """The network but for this machine is cut."""
            outside.append(route.request.url)
            route.abort()

        seen = opened("about:blank", wait=None)
        seen.context.route(lambda address: not address.startswith(allowed), cut)
        seen.goto(studio.link())
        seen.wait_for_selector(".question h2")
        for key in ("u", "z", "c", "Escape", "h", "Escape", "e", "Escape", "?", "Escape"):
            seen.keyboard.press(key)
            seen.evaluate(FRAMES)
        kept(seen)
        assert outside == []
        assert [address for address in seen.requests if not address.startswith((*allowed, "about:blank"))] == []
        assert seen.evaluate("document.fonts.size") == 0
        assert seen.errors == []


@pytest.mark.parametrize(
    ("key", "button", "said"),
    [
        ("ArrowRight", "same", "are the same"),
        ("y", "same", "are the same"),
        ("ArrowLeft", "different", "are different"),
        ("n", "different", "are different"),
        ("ArrowDown", "unsure", ""),
        ("u", "unsure", ""),
    ],
)
def test_check_03_answer_keys(asked, studio, key, button, said):
    def all_said(act):
        before, number = studio.state(), cards(asked)[0]
        act()
        asked.wait_for_function("number => likewise.store.questions[0]?.number !== number", arg=number)
        kept(asked)
        after = studio.state()
        assert after["answers"] == before["answers"] + 1
        assert after["seq"] == before["seq"] + 1
        assert asked.locator("#answers").inner_text().startswith(str(after["answers"]))
        asked.keyboard.press("Escape")  # where it was a contradiction
        return re.sub(r"r\d+", "r", last_words(studio)), asked.wait_for_selector(".question h2")

    known = hints(studio)
    by_key = all_said(lambda: asked.keyboard.press(key))[0]
    by_button = all_said(lambda: asked.locator(f"[data-answer={button}]").click())[0]
    assert by_key == by_button
    assert said in by_key
    shortcuts = asked.locator(f"[data-answer={button}]").get_attribute("aria-keyshortcuts").split()
    assert key in shortcuts
    undone(studio, known)  # these were no true answers


@pytest.mark.parametrize("key", ["z", "Backspace", "Control+z"])
def test_check_03_undo_and_redo_keys(asked, studio, key):
    answer(asked, "u")
    number = studio.state()["answers"]
    asked.keyboard.press(key)
    studio.until(lambda state: state["answers"] == number - 1)
    asked.keyboard.press("Shift+Z")
    studio.until(lambda state: state["answers"] == number)


@pytest.mark.parametrize(
    ("key", "name"),
    [
        ("/", "find"),
        ("c", "review"),
        ("h", "history"),
        ("e", "export"),
        ("?", "keys"),
        ("m", "merge"),
    ],
)
def test_check_03_keys_that_open_something(shown, key, name):
    shown.keyboard.press(key)
    assert shown.locator("#pane").get_attribute("data-pane") == name
    shown.keyboard.press("Escape")
    assert shown.locator("#pane").get_attribute("data-pane") == "question"


def test_check_03_keys_of_map_and_clusters(shown):
    shown.keyboard.press("g")
    assert shown.evaluate("document.activeElement.id") == "map"
    left = shown.evaluate("likewise.map.left")
    shown.keyboard.press("ArrowRight")
    assert shown.evaluate("likewise.map.left") == left - 40, "on the map arrows move it"
    shown.keyboard.press("0")
    shown.evaluate("document.activeElement.blur()")
    shown.keyboard.press("l")
    assert shown.locator("#lasso").get_attribute("aria-pressed") == "true"
    shown.keyboard.press("Escape")
    assert shown.locator("#lasso").get_attribute("aria-pressed") == "false"
    first = shown.locator("#clusters [data-cluster]").first
    for key, name in (("r", "name"), ("p", "split")):
        first.focus()
        shown.keyboard.press(key)
        assert shown.locator("#pane").get_attribute("data-pane") == name
        shown.keyboard.press("Escape")
    first.focus()
    shown.keyboard.press("ArrowDown")
    shown.keyboard.press("Enter")
    assert shown.locator("#pane").get_attribute("data-pane") == "cluster"
    shown.keyboard.press("d")
    shown.keyboard.press("Escape")
    shown.keyboard.press("d")
    assert shown.locator(".values mark").count() > 0
    shown.keyboard.press("d")


DRAWN = """() => {
    const [question] = likewise.store.questions;
    const drawn = { choice: ".group", piles: ".sortable" }[question?.kind];
    const missing = question?.kind === "choice" ? 1 : 0;
    return question && (!drawn || document.querySelectorAll(drawn).length === question.rows.length - missing);
}"""


def of_kind(page, studio, kind):
    """Ask for a kind of question, and answer until it comes."""
    page.locator(".segment", has_text={"choice": "Groups", "piles": "Piles", "pair": "Pairs"}[kind]).click()
    kept(page)
    page.wait_for_function("kind => likewise.store.state.ask.kind === kind", arg=kind)
    for _ in range(20):
        page.wait_for_function(DRAWN)
        question = page.evaluate("likewise.store.questions[0]")
        if question["kind"] == kind:
            return question
        studio.rested()
        if page.evaluate("likewise.store.questions[0].kind") == "piles":
            for _ in card(page)[1:]:
                page.keyboard.press("u")
            answer(page, "Enter")
        else:
            answer(page, "u")
    raise AssertionError(f"no question of the kind {kind} came")


def test_check_03_keys_of_groups_and_piles(asked, studio, truth):
    for _ in range(3):
        question = of_kind(asked, studio, "choice")
        first, *others = question["rows"]
        assert asked.locator(".group").count() == len(others)
        same = [number + 1 for number, row in enumerate(others) if truth[row] == truth[first]]
        before = hints(studio)
        answer(asked, str(same[0] if same else 0))
        said = [hint for hint in hints(studio) if hint not in before]
        assert all(f"r{first:03d}" in hint for hint in said)
        assert ("same" in {kind for kind, *_ in said}) == bool(same)
    question = of_kind(asked, studio, "piles")
    names = [f"r{row:03d}" for row in question["rows"]]
    groups = [int(truth[row]) for row in question["rows"]]
    numbers = [list(dict.fromkeys(groups)).index(group) + 1 for group in groups]
    assert asked.locator(".sortable").count() == len(names) == 4
    for key in (str(numbers[1]), "Backspace", str(numbers[1]), str(numbers[2]), "u"):
        asked.keyboard.press(key)
    piles = asked.locator(".pile").evaluate_all("all => all.map(one => one.querySelectorAll('.sortable').length)")
    assert piles[: max(numbers[:3])] == [numbers[:3].count(number + 1) for number in range(max(numbers[:3]))]
    assert piles[-1] == 1, "can't say"
    before = hints(studio)
    answer(asked, "Enter")
    said = {hint for hint in hints(studio) if hint not in before}
    kind = "same" if groups[0] == groups[1] else "different"
    assert (kind, *sorted(names[:2])) in said
    assert not any(names[3] in hint for hint in said)
    of_kind(asked, studio, "pair")


def test_cards_that_come_late_change_nothing(asked, studio):
    """A list of cards can overtake another: replies come by one connection, news by another."""
    late = {"list": asked.evaluate("likewise.store.questions"), "seq": studio.state()["seq"]}
    answer(asked, "u")
    now = cards(asked)
    asked.evaluate("""async late => (await import("/web/card.js")).setQuestions(late)""", late)
    assert cards(asked) == now


def test_check_04_keys_are_dead_in_fields(shown, studio):
    before = studio.state()["seq"]
    shown.keyboard.press("/")
    shown.keyboard.type("yzn u")
    shown.keyboard.press("Backspace")
    assert shown.locator("#find").input_value() == "yzn "
    shown.keyboard.press("Escape")
    shown.locator("#clusters [data-cluster]").first.focus()
    shown.keyboard.press("r")
    shown.keyboard.type("yes, no zu")
    for key in ("Backspace", "Backspace", "ArrowLeft", "ArrowRight"):
        shown.keyboard.press(key)
    assert shown.locator("#name").input_value() == "yes, no "
    shown.keyboard.press("Escape")
    assert studio.state()["seq"] == before


@pytest.mark.parametrize("amount", [1, 5, 50])
def test_check_05_undo_and_redo_many(asked, studio, truth, amount):
    before = hints(studio)
    for _ in range(amount):
        say(asked, true_key(asked, truth))
    kept(asked)
    said = hints(studio)
    assert len(said) >= len(before) + amount * 0.5
    seq = studio.state()["seq"]
    for _ in range(amount):
        asked.keyboard.press("z")
    studio.until(lambda state: state["seq"] == seq + amount)
    assert hints(studio) == before
    for _ in range(amount):
        asked.keyboard.press("Shift+Z")
    studio.until(lambda state: state["seq"] == seq + 2 * amount)
    assert hints(studio) == said
    kept(asked)
    assert asked.errors == []


def test_check_11_a_contradiction_is_shown_with_its_chain(asked, studio):
    def contradict(key):
        left, right = card(asked)
        hinted = {name for _, *names in hints(studio) for name in names}
        other = next(row for row in range(300) if row not in (left, right) and f"r{row:03d}" not in hinted)
        result = studio.rested()["result"]
        for number, pair in enumerate([(left, other), (other, right)]):
            body = {"rows": list(pair), "ticked": list(pair), "unticked": [], "all": False, "polygon": None}
            studio.act("/api/group", f"{key}-{number}", result=result, **body)
        assert card(asked) == [left, right], "the card that is shown stays"
        asked.keyboard.press("n")
        asked.wait_for_selector(".turned")
        return left, other, right

    def conflicts():
        return studio.state()["review"]["conflicts"]

    known, said = conflicts(), hints(studio)
    rows = contradict("chain-first")
    assert asked.locator(".chain-items .item").count() == 3
    text = asked.locator(".turned").inner_text()
    assert all(f"r{row:03d}" in text for row in rows)
    assert conflicts() == known + 1
    asked.keyboard.press("2")
    studio.until(lambda state: state["review"]["conflicts"] == known)
    asked.wait_for_selector(".question h2")
    contradict("chain-second")
    asked.keyboard.press("Escape")
    asked.wait_for_selector(".question h2")
    assert conflicts() == known + 1
    asked.wait_for_function("() => /Review [1-9]/.test(document.getElementById('tools').innerText)")
    asked.keyboard.press("c")
    asked.wait_for_selector(".to-review.bad")
    asked.keyboard.press("Enter")
    asked.wait_for_selector(".turned")
    asked.keyboard.press("x")
    studio.until(lambda state: state["review"]["conflicts"] == known)
    undone(studio, said)


def test_check_21_the_code_works_once(browser, page, studio):
    with looking(browser) as opened:
        again = opened(studio.links[0], wait="#pane .card")
        assert "link" in again.locator("#pane").inner_text().lower()
        assert again.locator(".question").count() == 0
        assert "sessionStorage" not in again.url
    assert page.url == studio.address
    token = page.evaluate("sessionStorage.getItem('likewise.token')")
    assert token not in page.content()
    assert page.evaluate("[document.cookie, localStorage.length]") == ["", 0]
    assert [address for address in page.requests if token in address] == []


def test_check_28_seven_tabs(browser, studio):
    with looking(browser) as opened:
        tabs = [opened(studio.link())]
        tabs += [opened(studio.address) for _ in range(6)]
        for tab in tabs:
            number = studio.ask("/api/questions")["questions"][0]["number"]
            tab.wait_for_function("number => likewise.store.questions[0]?.number === number", arg=number)
            tab.keyboard.press("u")
            tab.wait_for_function("number => likewise.store.questions[0]?.number !== number", arg=number)
            kept(tab)
        answers = studio.state()["answers"]
        for tab in tabs:
            tab.wait_for_function("n => likewise.store.state.answers === n", arg=answers)
            assert tab.errors == []


def test_what_is_not_kept_is_said_and_sent_again(asked, studio):
    seq = studio.state()["seq"]
    full = {"status": 507, "json": {"error": "not kept", "message": "the disk is full."}}
    asked.route("**/api/answer", lambda route: route.fulfill(**full))
    say(asked, "u")
    asked.wait_for_selector("#kept[data-state=lost]")
    assert "disk is full" in asked.locator("#banner").inner_text()
    number = cards(asked)[0]
    asked.keyboard.press("u")
    assert cards(asked)[0] == number, "no further answer until it works again"
    assert studio.state()["seq"] == seq
    asked.unroute("**/api/answer")
    kept(asked)
    studio.until(lambda state: state["seq"] == seq + 1)
    assert asked.locator("#banner").is_hidden()
    asked.context.set_offline(True)
    for _ in range(2):
        say(asked, "u")
    asked.wait_for_selector("#kept[data-state=lost]")
    assert len(asked.evaluate("likewise.unsent()")) == 2
    asked.context.set_offline(False)
    kept(asked)
    studio.until(lambda state: state["seq"] == seq + 3)
    asked.errors.clear()  # the browser notes what it could not fetch
