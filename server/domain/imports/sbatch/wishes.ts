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
		if (ms === null) return say("question", `--time=${short(value)}`, "Not a duration. Use for example 06:00:00.");
		if (ms === "none") return say("dropped", "No time limit", "The policy's limit applies.");
		wishes.maxMs = Math.min(ms, JOB_LIMITS.durationMs);
		if (ms > JOB_LIMITS.durationMs)
			return say(
				"changed",
				`Time limit ${formatDuration(ms)}`,
				`Reduced to ${formatDuration(JOB_LIMITS.durationMs)}, the maximum for a job.`,
			);
		say("changed", `Time limit ${formatDuration(ms)}`, "Kept as the limit; the expected duration is learned from earlier runs.");
	},
	"time-min": plainly("dropped", (v) => `Minimum time ${short(v)}`, "Jobs are not shortened to fit a gap."),
	deadline: ({ value, wishes, context, say }) => {
		const ms = parseSlurmTimeMs(value, context);
		if (ms === null) return say("question", `--deadline=${short(value)}`, "Not a date and time. Use for example 2026-12-01T08:00:00.");
		wishes.deadlineMs = ms;
		say("changed", `Deadline ${short(value)}`, `${new Date(ms).toISOString()}; sbatch times have no time zone, so yours is used.`);
	},
	begin: ({ value, context, say }) => {
		const ms = parseSlurmTimeMs(value, context);
		if (ms !== null && ms <= context.nowMs) return say("dropped", `Begin ${short(value)}`, "Already past.");
		say(
			"question",
			`Begin ${short(value)}`,
			"Jobs can start immediately. Submit it at that time, or let the policy defer it to a cheaper or greener hour.",
		);
	},
	dependency: plainly(
		"question",
		(v) => `After ${short(v)}`,
		"A job does not wait for another. Submit it when the other one has ended, or write a pipeline.",
	),
	hold: plainly("question", () => "Hold", "Jobs cannot be submitted on hold. Submit it when it may run."),
	requeue: plainly("carried", () => "May be interrupted and restarted"),
	"no-requeue": plainly(
		"question",
		() => "Must not be restarted",
		"An interrupted job restarts from its last checkpoint. Exclude spot in the policy, or keep the job on the cluster.",
	),
	output: plainly("changed", (v) => `Output ${short(v)}`, "Logs are stored with the job. Follow, search and download them there."),
	error: plainly("changed", (v) => `Errors ${short(v)}`, "Logs are stored with the job, separated by stream."),
	"open-mode": plainly("dropped", (v) => `Open mode ${short(v)}`, "Every attempt has its own log."),
	input: plainly("question", (v) => `Input ${short(v)}`, "Jobs have no standard input. Read the file in the script."),
	"mail-type": ({ value, wishes, say }) => {
		const { events, lost } = readMailTypes(value);
		wishes.notify = events;
		const mailed = events.length === 0 ? "No mail is sent." : `Mailed to you: ${events.join(", ")}.`;
		say(
			lost.length > 0 ? "changed" : "carried",
			`Mail ${short(value)}`,
			lost.length > 0 ? `${mailed} Not supported: ${lost.join(", ")}.` : mailed,
		);
	},
	"mail-user": ({ value, context, say }) =>
		context.email !== null && value.toLowerCase() === context.email.toLowerCase()
			? say("carried", `Mail to ${short(value)}`)
			: say("dropped", `Mail to ${short(value)}`, "Mail goes only to the submitter's address."),
	nice: plainly("dropped", (v) => `Nice ${short(v)}`, "Set a priority from 0 to 100 to let other jobs go first."),
	priority: plainly("dropped", (v) => `Priority ${short(v)}`, "Slurm uses a different scale. Set a priority from 0 to 100."),
	exclusive: plainly("changed", () => "Exclusive", "A cloud instance runs only this job; on the cluster, jobs share nodes by GPU."),
	licenses: plainly(
		"question",
		(v) => `Licenses ${short(v)}`,
		"The cluster's licenses are not counted elsewhere. Keep the job on the cluster, or make sure that it can get them.",
	),
	signal: plainly("changed", (v) => `Signal ${short(v)}`, "Before an interruption, the job gets SIGTERM and time to save a checkpoint."),
	tmp: plainly(
		"dropped",
		(v) => `Temporary disk ${short(v)}`,
		"Machines are chosen by GPUs, CPUs and memory. Check that the disk is large enough.",
	),
	wrap: plainly("question", () => "--wrap", "Has no effect in a script."),
	chdir: ({ value, wishes, say }) => {
		wishes.folder = value;
		say(
			"question",
			`Folder ${short(value)}`,
			"This path exists only on the cluster. Declare its contents as data, or keep the job on the cluster.",
		);
	},
	container: plainly("question", (v) => `OCI bundle ${short(v)}`, "The bundle exists only on the cluster. Name an image instead."),
	"container-image": ({ value, wishes, say }) => {
		if (/\.sqsh$|^[./]/.test(value))
			return say(
				"question",
				`Image ${short(value)}`,
				"This file exists only on the cluster. Use an image from a registry, or keep the job on the cluster.",
			);
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
		"These folders exist only on the cluster. Declare them as data to copy them to where the job runs.",
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
			say("question", `Environment ${inherited.join(", ")}`, "Variables of your shell are not inherited. Set what the job needs in env.");
		else if (kept.length === 0) say("carried", "No shell environment");
	},
	"export-file": plainly(
		"question",
		(v) => `Environment from ${short(v)}`,
		"This file exists only on the cluster. Set what the job needs in env.",
	),
};
