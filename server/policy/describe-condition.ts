import type { ASTNode } from "@marcbachmann/cel-js";
import { CAPACITY_TYPES, LABELS, WORKLOAD_CLASSES } from "#server/domain/vocabulary.ts";
import { environment } from "./expression-environment.ts";

/** A piece of a sentence; `value` marks the editable part, and is highlighted on screen. */
export interface Segment {
	text: string;
	value?: boolean;
}

export const words = (text: string): Segment => ({ text });
export const value = (text: string): Segment => ({ text, value: true });

/** `a`, `a or b`, `a, b or c`, each a value. */
export function listed(items: readonly string[], last = "or"): Segment[] {
	return items.flatMap((item, index) => {
		if (index === 0) return [value(item)];
		return [words(index === items.length - 1 ? ` ${last} ` : ", "), value(item)];
	});
}

/** A condition as a clause about the job, e.g. `the job's class is *sensitive*`; what has no wording is shown as written. */
export function describeCondition(text: string): Segment[] {
	try {
		return joinTexts(clause(environment.parse(text).ast));
	} catch {
		return asWritten(text);
	}
}

function asWritten(text: string): Segment[] {
	return [value(text.trim()), words(" holds")];
}

function clause(node: ASTNode): Segment[] {
	switch (node.op) {
		case "&&":
		case "||": {
			const [left, right] = node.args;
			const word = node.op === "&&" ? " and " : " or ";
			return [...grouped(left, node.op), words(word), ...grouped(right, node.op)];
		}
		case "!_":
			return negated(node.args) ?? asWritten(sourceOf(node));
		case "==":
		case "!=":
		case "<":
		case "<=":
		case ">":
		case ">=":
			return compared(node) ?? asWritten(sourceOf(node));
		case "in":
			return membership(node.args[0], node.args[1], true) ?? asWritten(sourceOf(node));
		case ".":
			return FLAGS[fieldOf(node) ?? ""]?.[0] ?? asWritten(sourceOf(node));
		case "rcall":
			return textTest(node) ?? asWritten(sourceOf(node));
		case "value":
			return [words(node.args === true ? "any job comes" : "no job comes")];
		default:
			return asWritten(sourceOf(node));
	}
}

/** `a && (b || c)`: the inner one is bracketed, since "a and b or c" could be read both ways. */
function grouped(node: ASTNode, outer: "&&" | "||"): Segment[] {
	const inner = clause(node);
	return (node.op === "&&" || node.op === "||") && node.op !== outer ? [words("("), ...inner, words(")")] : inner;
}

function negated(node: ASTNode): Segment[] | null {
	if (node.op === ".") return FLAGS[fieldOf(node) ?? ""]?.[1] ?? null;
	if (node.op === "in") return membership(node.args[0], node.args[1], false);
	return null;
}

/** Wording for a boolean field, and for its negation. */
const FLAGS: Readonly<Record<string, readonly [Segment[], Segment[]]>> = {
	"job.critical": [
		[words("the job is "), value("critical")],
		[words("the job is "), value("not critical")],
	],
	"job.hasEstimate": [
		[words("the job gives "), value("an estimate")],
		[words("the job gives "), value("no estimate")],
	],
	"job.hasDeadline": [
		[words("the job has "), value("a deadline")],
		[words("the job has "), value("no deadline")],
	],
	"job.hasCheckpoint": [
		[words("the job writes "), value("checkpoints")],
		[words("the job writes "), value("no checkpoints")],
	],
};

/** The start of a clause about a field, and the unit after its values. */
const SUBJECTS: Readonly<Record<string, { subject: string; show?: (amount: string) => string }>> = {
	"job.name": { subject: "the job's name" },
	"job.team": { subject: "the job's team" },
	"job.project": { subject: "the job's project" },
	"job.class": { subject: "the job's class" },
	"job.priority": { subject: "the job's priority" },
	"job.image": { subject: "the job's image" },
	"job.gpus": { subject: "the job's size", show: counted("GPU") },
	"job.nodes": { subject: "the job's size", show: counted("node") },
	"job.gpusPerNode": { subject: "the job's size", show: (n) => `${counted("GPU")(n)} per node` },
	"job.dataGiB": { subject: "the size of its data", show: (n) => `${n} GiB` },
	"job.estimateHours": { subject: "the job's estimate", show: (n) => `${n} h` },
	"job.maxHours": { subject: "the job's longest run time", show: (n) => `${n} h` },
	"quote.costUsd": { subject: "the job's cost", show: (n) => `$${n}` },
	"quote.hourlyUsd": { subject: "the price per hour", show: (n) => `$${n}` },
	"quote.provider": { subject: "the provider" },
	"quote.region": { subject: "the region" },
	"quote.capacityType": { subject: "the capacity type" },
	"quote.instanceType": { subject: "the instance type" },
};

function counted(what: string): (amount: string) => string {
	return (amount) => `${amount} ${what}${amount === "1" ? "" : "s"}`;
}

const COMPARISONS: Readonly<Record<string, string>> = {
	"==": "is",
	"!=": "is not",
	">": "is above",
	">=": "is at least",
	"<": "is below",
	"<=": "is at most",
};
const MIRRORED: Readonly<Record<string, string>> = { ">": "<", ">=": "<=", "<": ">", "<=": ">=" };

function compared(node: ASTNode & { op: "==" | "!=" | "<" | "<=" | ">" | ">=" }): Segment[] | null {
	const [left, right] = node.args;
	const straight = fieldOf(left) !== null || labelOf(left) !== null;
	const field = straight ? left : right;
	const amount = literal(straight ? right : left);
	const op = straight ? node.op : (MIRRORED[node.op] ?? node.op);
	const subject = subjectOf(field);
	if (subject === null || amount === null) return null;
	return [words(`${subject.subject} ${COMPARISONS[op]} `), value(subject.show ? subject.show(amount) : amount)];
}

function subjectOf(node: ASTNode): { subject: string; show?: (amount: string) => string } | null {
	const label = labelOf(node);
	if (label !== null) return { subject: `the job's label ${label}` };
	return SUBJECTS[fieldOf(node) ?? ""] ?? null;
}

function membership(left: ASTNode, right: ASTNode, holds: boolean): Segment[] | null {
	const one = literal(left);
	const container = fieldOf(right);
	if (one !== null && container === "job.residency") return [words(`the job's data ${holds ? "must" : "need not"} stay in `), value(one)];
	if (one !== null && container === "job.accelerators") return [words(`the job ${holds ? "accepts" : "does not accept"} `), value(one)];
	if (one !== null && container === "job.labels") return [words(`the job ${holds ? "has" : "does not have"} the label `), value(one)];
	const subject = subjectOf(left);
	if (subject === null || right.op !== "list") return null;
	const items = right.args.map(literal);
	const known = items.filter((item) => item !== null);
	if (known.length === 0 || known.length !== items.length) return null;
	const shown = subject.show ? known.map(subject.show) : known;
	return [words(`${subject.subject} is ${holds ? "" : "not "}`), ...listed(shown)];
}

const TEXT_TESTS: Readonly<Record<string, string>> = { startsWith: "begins with", endsWith: "ends with", contains: "contains" };

function textTest(node: ASTNode & { op: "rcall" }): Segment[] | null {
	const [method, receiver, [argument]] = node.args;
	const subject = subjectOf(receiver);
	const verb = TEXT_TESTS[method];
	const part = argument ? literal(argument) : null;
	return subject === null || verb === undefined || part === null ? null : [words(`${subject.subject} ${verb} `), value(part)];
}

/** `job.team`, `quote.costUsd`; null for anything else. */
function fieldOf(node: ASTNode): string | null {
	return node.op === "." && node.args[0].op === "id" ? `${node.args[0].args}.${node.args[1]}` : null;
}

function labelOf(node: ASTNode): string | null {
	if (node.op === "." && fieldOf(node.args[0]) === "job.labels") return node.args[1];
	if (node.op === "[]" && fieldOf(node.args[0]) === "job.labels") return literal(node.args[1]);
	return null;
}

/** A literal in display form: closed values by their label, whole amounts with separators. */
function literal(node: ASTNode): string | null {
	if (node.op !== "value") return null;
	if (typeof node.args === "bigint" || typeof node.args === "number") return grouping(String(node.args));
	if (typeof node.args !== "string") return null;
	const text = node.args;
	const known = [...WORKLOAD_CLASSES, ...CAPACITY_TYPES].find((entry) => entry === text);
	if (known) return LABELS[known];
	return text === "" ? "empty" : text;
}

/** 2000 → 2,000; independent of the machine's language. */
export function grouping(amount: string): string {
	return amount.replace(/^\d+/, (whole) => whole.replace(/\B(?=(\d{3})+$)/g, ","));
}

function sourceOf(node: ASTNode): string {
	return node.input.slice(node.start, node.end);
}

function joinTexts(segments: readonly Segment[]): Segment[] {
	const joined: Segment[] = [];
	for (const segment of segments) {
		const last = joined.at(-1);
		if (last && !last.value && !segment.value) joined[joined.length - 1] = { text: last.text + segment.text };
		else joined.push(segment);
	}
	return joined;
}
