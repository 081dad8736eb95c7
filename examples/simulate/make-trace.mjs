// Makes trace.csv: five days of an invented company with too few GPUs (32) for its weekdays. The same bytes on every machine.
import { writeFileSync } from "node:fs";
import path from "node:path";

const DAYS = 5;
const HOUR = 3600;
/** team: jobs a day, sizes, median hours, whether they have a deadline (run time × slack) */
const TEAMS = [
	{ name: "vision", perDay: 18, gpus: [1, 1, 2, 4, 8], medianHours: 2.5, deadline: null },
	{ name: "language", perDay: 6, gpus: [4, 8, 8, 16], medianHours: 5, deadline: null },
	{ name: "risk", perDay: 8, gpus: [1, 2, 4], medianHours: 1.5, deadline: { kind: "strict", slack: 2.5 } },
	{ name: "research", perDay: 14, gpus: [1, 1, 1, 2], medianHours: 1, deadline: { kind: "soft", slack: 4 } },
];

let state = 20_260_101;
/** mulberry32 */
function random() {
	state = (state + 0x6d2b79f5) >>> 0;
	let t = state;
	t = Math.imul(t ^ (t >>> 15), t | 1);
	t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
	return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
}

/** A bell from twelve dice: 0 on average, 1 wide. */
const bell = () => Array.from({ length: 12 }, random).reduce((sum, x) => sum + x, -6);

function job(team, day) {
	const hour = Math.min(23.9, Math.max(0, 13 + 3 * bell()));
	const submit = Math.round((day * 24 + hour) * HOUR);
	const run = Math.max(120, Math.round(team.medianHours * HOUR * Math.exp(0.9 * bell())));
	const gpus = team.gpus[Math.floor(random() * team.gpus.length)];
	const deadline = team.deadline ? Math.round(run * team.deadline.slack + 900) : "";
	const user = `${team.name}-${1 + Math.floor(random() * 3)}`;
	return { submit, row: [run, gpus, user, team.name, "", "", deadline, team.deadline?.kind ?? ""] };
}

const jobs = [];
for (let day = 0; day < DAYS; day++) for (const team of TEAMS) for (let n = 0; n < team.perDay; n++) jobs.push(job(team, day));
jobs.sort((a, b) => a.submit - b.submit);
const first = jobs[0].submit;
const rows = jobs.map(({ submit, row }, i) => [i + 1, submit - first, ...row].join(","));
const header = "job_id,submit_s,duration_s,gpus,user,group,gpu_type,status,deadline_s,deadline_kind";
writeFileSync(path.join(import.meta.dirname, "trace.csv"), `${[header, ...rows].join("\n")}\n`);
