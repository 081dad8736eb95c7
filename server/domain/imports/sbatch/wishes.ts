import { formatDuration } from "../../../kernel/units.ts";
import { JOB_LIMITS } from "../../job-schema.ts";
import { WORK_EVENTS, type WorkEvent } from "../../notice.ts";
import type { Finding, ImportContext } from "../types.ts";
import type { Directive } from "./read-script.ts";
import { parseSlurmDurationMs, parseSlurmTimeMs } from "./times.ts";

/** What a script requests besides machines. */
export interface Wishes {
	image: string | null;
	/** Working directory of the command; null: the attempt's own folder. */
	folder: string | null;
	env: Record<string, string>;
	maxMs: number | null;
	deadlineMs: number | null;
	/** Events that are mailed to the submitter; null: not specified. */
	notify: WorkEvent[] | null;
}

const short = (text: string): string => text.slice(0, 60);

/** Slurm's mail types mapped to events here: sbatch(1), --mail-type. END is sent after every end, also after a failure. */
const MAIL_EVENTS: Readonly<Record<string, readonly WorkEvent[]>> = {
	NONE: [],
	END: ["finished", "failed"],
	FAIL: ["failed"],
	REQUEUE: ["reclaimed"],
	TIME_LIMIT: ["failed"],
	ALL: ["finished", "failed", "reclaimed"],
};

function readMailTypes(value: string): { events: WorkEvent[]; lost: string[] } {
	const types = value.split(",").flatMap((type) => (type.trim() === "" ? [] : [type.trim().toUpperCase()]));
	const wanted = new Set(types.flatMap((type) => MAIL_EVENTS[type] ?? []));
	return {
		events: WORK_EVENTS.filter((event) => wanted.has(event)),
		lost: types.filter((type) => !Object.hasOwn(MAIL_EVENTS, type)).map(short),
	};
}

type Say = (kind: Finding["kind"], subject: string, text?: string) => void;

export function readWishes(last: ReadonlyMap<string, Directive>, context: ImportContext, findings: Finding[]): Wishes {
	const wishes: Wishes = { image: null, folder: null, env: {}, maxMs: null, deadlineMs: null, notify: null };
	for (const [name, directive] of last) {
		const { line, value } = directive;
		const say: Say = (kind, subject, text = "") => void findings.push({ line, kind, subject, text });
		READERS[name]?.({ value, wishes, context, say });
	}
	return wishes;
}

interface Reading {
	value: string;
	wishes: Wishes;
	context: ImportContext;
	say: Say;
}

const plainly =
	(kind: Finding["kind"], subject: (value: string) => string, text = "") =>
	({ value, say }: Reading) =>
		say(kind, subject(value), text);

/** One reader for each option that is neither a resource nor a name. */
const READERS: Readonly<Record<string, (reading: Reading) => void>> = {
	time: ({ value, wishes, say }) => {
		const ms = parseSlurmDurationMs(value);
		if (ms === null) return say("question", `--time=${short(value)}`, "It is not a length of time. Write for example 06:00:00.");
		if (ms === "none") return say("dropped", "No time limit", "The policy's own limit holds.");
		wishes.maxMs = Math.min(ms, JOB_LIMITS.durationMs);
		if (ms > JOB_LIMITS.durationMs)
			return say(
				"changed",
				`${formatDuration(ms)} at most`,
				`${formatDuration(JOB_LIMITS.durationMs)} is the longest that a job may ask for.`,
			);
		say(
			"changed",
			`${formatDuration(ms)} at most`,
			"It stays the limit; how long the job is expected to take is learnt from earlier runs.",
		);
	},
	"time-min": plainly("dropped", (v) => `At least ${short(v)}`, "A job is not shortened to fit a gap."),
	deadline: ({ value, wishes, context, say }) => {
		const ms = parseSlurmTimeMs(value, context);
		if (ms === null) return say("question", `--deadline=${short(value)}`, "It is not a moment. Write for example 2026-12-01T08:00:00.");
		wishes.deadlineMs = ms;
		say("changed", `Deadline ${short(value)}`, `${new Date(ms).toISOString()}; sbatch names no zone, so yours is taken.`);
	},
	begin: ({ value, context, say }) => {
		const ms = parseSlurmTimeMs(value, context);
		if (ms !== null && ms <= context.nowMs) return say("dropped", `Begin ${short(value)}`, "It is past.");
		say(
			"question",
			`Begin ${short(value)}`,
			"A job here may begin at once. Submit it then, or let the policy put it off to a cheaper or greener hour.",
		);
	},
	dependency: plainly("question", (v) => `After ${short(v)}`, "A job here does not wait for another one. Submit it when that one is over."),
	hold: plainly("question", () => "Hold", "A job here is not submitted to be held. Submit it when it may run."),
	requeue: plainly("carried", () => "It may be interrupted and started again"),
	"no-requeue": plainly(
		"question",
		() => "It may not be started again",
		"An interruption would start it again from its last checkpoint. Keep it off spot by the policy, or keep it at home.",
	),
	output: plainly(
		"changed",
		(v) => `Output ${short(v)}`,
		"Logs are kept with the job, and can be followed, searched and downloaded there.",
	),
	error: plainly("changed", (v) => `Errors ${short(v)}`, "Logs are kept with the job, by stream."),
	"open-mode": plainly("dropped", (v) => `Open mode ${short(v)}`, "Every attempt has its own log."),
	input: plainly("question", (v) => `Input ${short(v)}`, "A job here reads no standard input. Read the file in the script."),
	"mail-type": ({ value, wishes, say }) => {
		const { events, lost } = readMailTypes(value);
		wishes.notify = events;
		const mailed = events.length === 0 ? "No mail is sent." : `Mailed to your own address: ${events.join(", ")}.`;
		say(
			lost.length > 0 ? "changed" : "carried",
			`Mail ${short(value)}`,
			lost.length > 0 ? `${mailed} Without ${lost.join(", ")}.` : mailed,
		);
	},
	"mail-user": ({ value, context, say }) =>
		context.email !== null && value.toLowerCase() === context.email.toLowerCase()
			? say("carried", `Mail to ${short(value)}`)
			: say("dropped", `Mail to ${short(value)}`, "Mail goes to the submitter's own address only."),
	nice: plainly("dropped", (v) => `Nice ${short(v)}`, "Set the priority, 0 to 100, if the job should stand back."),
	priority: plainly("dropped", (v) => `Priority ${short(v)}`, "Slurm's numbers have another scale. Set the priority, 0 to 100."),
	exclusive: plainly("changed", () => "Exclusive", "A cloud machine is always the job's own; at home it shares nodes by GPUs."),
	licenses: plainly(
		"question",
		(v) => `Licences ${short(v)}`,
		"Licences of the cluster are not counted elsewhere. Keep the job at home, or see that it gets them.",
	),
	signal: plainly("changed", (v) => `Signal ${short(v)}`, "Before it has to stop a job gets SIGTERM, and time to save a checkpoint."),
	tmp: plainly(
		"dropped",
		(v) => `Temporary disk ${short(v)}`,
		"Machines are chosen by GPUs, CPUs and memory; see that the disk is large enough.",
	),
	wrap: plainly("question", () => "--wrap", "In a script it has no effect."),
	chdir: ({ value, wishes, say }) => {
		wishes.folder = value;
		say("question", `Folder ${short(value)}`, "A path of the cluster. Bring what is in it as data, or keep the job at home.");
	},
	container: plainly("question", (v) => `OCI bundle ${short(v)}`, "A bundle is only on the cluster. Name an image instead."),
	"container-image": ({ value, wishes, say }) => {
		if (/\.sqsh$|^[./]/.test(value))
			return say("question", `Image ${short(value)}`, "A file of the cluster. Name the image in a registry, or keep the job at home.");
		// enroot writes registry#image
		wishes.image = value.replace(/^docker:\/\//, "").replace("#", "/");
		say(
			wishes.image === value ? "carried" : "changed",
			`Image ${short(value)}`,
			wishes.image === value ? "" : `Written as ${wishes.image}.`,
		);
	},
	"container-mounts": plainly(
		"question",
		(v) => `Mounts ${short(v)}`,
		"Folders of the cluster. Name them as data, so that they are brought to wherever the job runs.",
	),
	"container-workdir": ({ value, wishes, say }) => {
		wishes.folder = value;
		say("carried", `Folder ${short(value)}`);
	},
	export: ({ value, wishes, say }) => {
		const words = value.split(",");
		for (const word of words) {
			const at = word.indexOf("=");
			if (at > 0 && /^[A-Za-z_]\w{0,127}$/.test(word.slice(0, at)) && !/^SPILLWAY_/.test(word))
				wishes.env[word.slice(0, at)] = word.slice(at + 1);
		}
		const kept = Object.keys(wishes.env);
		if (kept.length > 0) say("carried", `Environment ${kept.join(", ")}`);
		const inherited = words.filter((word) => !word.includes("=") && !/^(none|nil)$/i.test(word));
		if (inherited.length > 0)
			say(
				"question",
				`Environment ${inherited.join(", ")}`,
				"What your shell had when you submitted is not there. Say in env what the job needs.",
			);
		else if (kept.length === 0) say("carried", "No environment of your shell");
	},
	"export-file": plainly("question", (v) => `Environment of ${short(v)}`, "A file of the cluster. Say in env what the job needs."),
};
