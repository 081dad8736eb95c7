import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { JobSpec } from "#server/domain/job.ts";
import { parseJobDocument } from "#server/domain/job-file.ts";
import type { ChaosJob } from "./plan.ts";

/**
 * The command of every job. While it runs it holds a lock, which the kernel releases however the command ends (a paused command
 * keeps it but does not count as running). It appends its attempt to the job's order file, prints numbered lines, and
 * records each printed line. With checkpoints it resumes after the last saved line.
 */
const SCRIPT = `
exec 9>>"$BOOK/$SPILLWAY_JOB_ID.lock"
if ! flock -n 9; then
  others=
  for other in $(cat "$BOOK/$SPILLWAY_JOB_ID".*.pid); do
    others="$others$(cut -d ' ' -f 3 "/proc/$other/stat" 2>/dev/null)"
  done
  case $others in '' | *[!TZ]*) echo "$SPILLWAY_JOB_ID attempt $SPILLWAY_ATTEMPT" >> "$BOOK/doubles" ;; esac
fi
echo "$$" > "$BOOK/$SPILLWAY_JOB_ID.$SPILLWAY_ATTEMPT.pid"
i=0
[ "$KEEP" = 1 ] && [ -s "$SPILLWAY_CHECKPOINT_DIR/at" ] && i=$(cat "$SPILLWAY_CHECKPOINT_DIR/at")
trap 'exit 143' TERM
while [ "$i" -lt "$LINES" ] && ! [ -e "$BOOK/$UNTIL" ]; do
  i=$((i + 1))
  echo "$SPILLWAY_ATTEMPT" >> "$BOOK/$SPILLWAY_JOB_ID.order"
  echo "line $i" && echo "$i" >> "$BOOK/$SPILLWAY_JOB_ID.$SPILLWAY_ATTEMPT.said"
  [ "$KEEP" = 1 ] && echo "$i" > "$SPILLWAY_CHECKPOINT_DIR/at.new" && mv "$SPILLWAY_CHECKPOINT_DIR/at.new" "$SPILLWAY_CHECKPOINT_DIR/at"
  if ! [ -e "$BOOK/hurry" ]; then sleep "$EVERY" 9>&-; elif [ $((LINES - i)) -gt 3 ]; then LINES=$((i + 3)); fi
done
`;

/** `book`: folder on this host where commands leave their traces. */
export function specOf(job: ChaosJob, book: string, nowMs: number): JobSpec {
	return parseJobDocument({
		apiVersion: "spillway/v1",
		kind: "Job",
		metadata: { name: job.name, team: "research", ...(job.cloud ? { project: job.cloud } : {}) },
		spec: {
			command: ["sh", "-c", SCRIPT],
			class: job.spot ? "experimental" : "burst",
			env: {
				BOOK: book,
				LINES: String(job.lines),
				EVERY: (job.everyMs / 1_000).toFixed(3),
				KEEP: job.checkpoints ? "1" : "0",
				UNTIL: job.until ?? "never",
			},
			resources: { gpus: 1 },
			...(job.critical ? { critical: true } : {}),
			...(job.deadlineInMs === undefined ? {} : { deadline: new Date(nowMs + job.deadlineInMs).toISOString() }),
			// The remaining estimate is what a move could save.
			duration: job.long ? { estimate: "2h", max: "3h" } : { estimate: "1m", max: "40m" },
			// The longer interval leaves time between the decision to move and the checkpoint that triggers the move.
			...(job.checkpoints ? { checkpoint: { path: "/checkpoints", interval: job.long ? "40s" : "3s" } } : {}),
		},
	});
}

/** Ends the jobs that run until a file with this name exists. */
export function createMarker(book: string, name: string): void {
	writeFileSync(path.join(book, name), "");
}

/** The line numbers that an attempt recorded as printed. */
export function stepsLoggedBy(book: string, jobId: string, attempt: number): number[] {
	return linesOf(path.join(book, `${jobId}.${attempt}.said`)).map(Number);
}

/** Commands that found another command of their job running, and commands that continued after a later attempt had started. */
export function findDuplicateCommands(book: string): string[] {
	const turns = readdirSync(book).filter((name) => name.endsWith(".order"));
	const late = turns.flatMap((name) => {
		const attempts = linesOf(path.join(book, name)).map(Number);
		const at = attempts.findIndex((attempt, i) => i > 0 && attempt < (attempts[i - 1] ?? 0));
		return at < 0 ? [] : [`${name.replace(".order", "")} attempt ${attempts[at]} went on after attempt ${attempts[at - 1]}`];
	});
	return [...linesOf(path.join(book, "doubles")), ...late];
}

function linesOf(file: string): string[] {
	try {
		return readFileSync(file, "utf8").split("\n").filter(Boolean);
	} catch {
		return [];
	}
}
