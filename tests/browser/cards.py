"""The cards at the top of a page: one for each of the newest questions, with the numbers that the database has."""
import json
import sqlite3

from claims import claim

MOST = 12
CARDS = """[...document.querySelectorAll('.card')].map((card) => ({
  link: card.querySelector('h3 a') ? card.querySelector('h3 a').getAttribute('href') : '',
  answer: card.querySelector('.answer') ? card.querySelector('.answer').textContent : '',
  speeds: [...card.querySelectorAll('.bars b')].map((speed) => speed.textContent),
  bars: [...card.querySelectorAll('.track')].map((track) => {
    const whole = track.getBoundingClientRect(), bar = track.querySelector('.bar').getBoundingClientRect();
    return {left: bar.left - whole.left, right: bar.right - whole.left, width: whole.width,
            isFaster: track.querySelector('.bar').classList.contains('faster')};
  })}))"""


def shown(speed):
    """A speed-up as the program writes it."""
    return f"{speed:.0f}x" if speed >= 10_000 else f"{speed:#.4g}x"


def check_cards(browser, database):
    cards = browser.evaluate(CARDS)
    with sqlite3.connect(database) as rows:
        verdicts = rows.execute("select verdict, verdict_details from commands where verdict <> ''").fetchall()
    claim(len(cards) == min(MOST, len(verdicts)), f"{len(cards)} cards of {len(verdicts)} verdicts")
    kept = [sorted(shown(1 / baseline["ratio"]) for baseline in json.loads(details)["baselines"] if baseline["ratio"]) if details else []
            for _, details in verdicts]
    for card in cards:
        claim(browser.evaluate(f"document.querySelector({card['link']!r}) !== null"), f"a card leads to {card['link']}, which is not there")
        claim(sorted(card["speeds"]) in kept, f"no verdict has the speeds {card['speeds']} of a card")
        for bar, speed in zip(card["bars"], card["speeds"]):
            middle = bar["width"] / 2
            end = bar["right"] if bar["isFaster"] else bar["left"]
            claim(bar["isFaster"] == (float(speed[:-1]) > 1), f"the bar of {speed} is on the wrong side")
            claim(-1 <= end <= bar["width"] + 1 and (end >= middle - 1 if bar["isFaster"] else end <= middle + 1), f"the bar of {speed} ends at {end}")
    claim(any(card["answer"] for card in cards), "no card says whether the scan pays")
