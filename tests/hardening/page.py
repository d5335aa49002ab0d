"""The page with all figures."""
from known import CAUSES, cause_of


def cell(text):
    return str(text).replace("|", "\\|").replace("\n", " ")


def table(head, rows):
    lines = [f"| {' | '.join(head)} |", f"|{'|'.join(' --- ' for _ in head)}|"]
    return "\n".join(lines + [f"| {' | '.join(cell(one) for one in row)} |" for row in rows])


def kills_part(measured):
    if not measured.kills:
        return "The kills broke off: see the findings."
    ends = sorted({end for part in measured.kills for end in part.counts})
    rows = [(part.study.name, len(part.wanted), *(part.counts[end] for end in ends), part.with_progress, part.logs_cut, part.studies)
            for part in measured.kills]
    total = sum(sum(part.counts.values()) for part in measured.kills)
    compared = sum(part.rows_compared for part in measured.kills)
    text = f"{total} kills in {measured.seconds['kills']:.0f} s. After each the store was whole; {compared} rows were compared with those of\n" \
        "uninterrupted runs, and so were all at the end: none lost (but to cut logs, and these then evaluated again), doubled or changed.\n\n"
    return text + table(("study", "points", *ends, "with new rows", "logs cut that lost rows", "studies ended"), rows)


def writers_part(measured):
    if measured.writers is None:
        return "Ten writers: see the findings."
    commands, rows = measured.writers
    return f"Ten programs at once, {commands} commands (`search`, `profile`, `study`) into one new store: all ended with 0, the\nstore was whole " \
        f"and had the {rows} rows that the same commands write one after the other."


def forced_part(measured):
    findings = measured.findings
    rows = [(name, count, len(findings.of(name)) or "") for name, count in findings.trials.items()]
    total = sum(findings.trials.values())
    return f"{total} trials; after each the same command once more, undisturbed.\n\n" + table(("what", "trials", "findings"), rows)


def findings_part(measured):
    found = sorted(measured.findings.found.values(), key=lambda one: (name_of(one), one.fault, one.disturbance))
    if not found:
        return "None."
    trials = measured.findings.trials
    rows = [(name_of(one), one.fault, one.disturbance, f"{one.count} of {trials[one.disturbance]}" if one.disturbance in trials else one.count,
             ", ".join(sorted(one.commands)), "<br>".join(one.examples)) for one in found]
    causes = [cause for cause in CAUSES if any(cause_of(one) is cause for one in found)]
    text = "Known causes, not mended yet:\n\n" + "\n".join(f"* **{cause.name}**: {cause.sentence}." for cause in causes) if causes else ""
    return text + "\n\n" + table(("cause", "fault", "where", "trials with it", "commands", "examples"), rows)


def name_of(finding):
    cause = cause_of(finding)
    return cause.name if cause else "?"


def sameness_part(measured):
    if measured.sameness is None:
        return "See the findings."
    text = table(("compared", "pairs", "that differ"),
                 [(kind, count, sum(one.count for one in measured.findings.of(kind))) for kind, count in measured.sameness.compared.items()])
    return text + "".join(f"\n\nNot tried: {one}." for one in measured.sameness.not_tried)


def ranks_part(measured, rank_kills):
    if measured.ranks is None:
        return ""
    return f"\n\nOf three MPI ranks one was killed {rank_kills} times, {measured.ranks} times before the end: the store was whole, mpirun\nended " \
        "with another code than 0, and the study went on to the rows of an uninterrupted one."


def page(measured, machine, rank_kills):
    return f"""# Hardening

{machine}: `reports/measure_hardening PROGRAM`.

What each part does, what is accepted and what is left out of comparisons is said by the modules of [tests/hardening](../tests/hardening); `--quick`, a little of all, is the test `hardening_check`.

## Kills and writers

{kills_part(measured)}

{writers_part(measured)}{ranks_part(measured, rank_kills)}

## Forced failures

Accepted: the exit codes of [the command line](../docs/command-line.md#exit-codes), 0 only with the whole answer; all rows of the
command or none (of a study those of some batches; pictures of sparsity patterns, which hang on the model, may be missing where that
is said); files whole or as they were; nothing left beside them or in TMPDIR but by `kill -9`, and where it cannot be removed; an error
of one line that names the cause.

{forced_part(measured)}

## Findings

{findings_part(measured)}

## Same answers

Bytes of JSON, files and rows, but for times of day, durations, and `cache` of a study, which says from where counts came.

{sameness_part(measured)}
"""
