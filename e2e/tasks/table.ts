import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { Person } from "../support/people.ts";
import type { WalkedTask } from "./walker.ts";

const ROLES: Record<Person, string> = { scientist: "Scientist", platform: "Platform engineer", finance: "Finance" };

/** As Markdown: one line for each task, then the sums. */
function tasksTable(walked: readonly WalkedTask[]): string {
	const sum = (of: (task: WalkedTask) => number) => walked.reduce((total, task) => total + of(task), 0);
	const lines = walked.map(({ person, title, clicks, fields, seconds }) => [ROLES[person], title, clicks, fields, seconds.toFixed(1)]);
	const total = ["", "All", sum((t) => t.clicks), sum((t) => t.fields), sum((t) => t.seconds).toFixed(1)];
	return [["role", "task", "clicks", "fields", "seconds"], ["---", "---", "--:", "--:", "--:"], ...lines, total]
		.map((cells) => `| ${cells.join(" | ")} |\n`)
		.join("");
}

/** @param file the folder is created */
export function writeTasksTable(file: string, walked: readonly WalkedTask[]): void {
	mkdirSync(path.dirname(file), { recursive: true });
	writeFileSync(file, tasksTable(walked));
}
