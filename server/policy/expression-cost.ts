import type { ASTNode } from "@marcbachmann/cel-js";
import { environment, LOOPS } from "./expression-environment.ts";
import { nodesIn } from "./syntax-tree.ts";

/** Maximum size of a value: entries of a list or map, 16 characters of a text; `element` is the size of a list's entry. */
interface Worst {
	steps: number;
	size: number;
	element: number;
}

/** Texts are compared and searched many characters at a time. */
const CHARACTERS_A_STEP = 16;
/** The longest text of a job file that a condition can read has 1,024 characters. */
const TEXT = 1_024 / CHARACTERS_A_STEP;
/** Limits of a job file (job-file.ts): 64 data references with 16 areas each, 32 models, 64 labels. */
const LISTS: Readonly<Record<string, { size: number; element: number }>> = {
	residency: { size: 64 * 16, element: 1 },
	accelerators: { size: 32, element: 4 },
	labels: { size: 64, element: 16 },
};

/**
 * How many steps evaluating a condition takes at most, for the largest possible job: a step is one part of the
 * expression, one entry of a list gone through, or 16 characters of a text. 0 for a text that cannot be read. Pure.
 */
export function expressionSteps(text: string): number {
	try {
		return worst(environment.parse(text).ast, new Map()).steps;
	} catch {
		return 0;
	}
}

function worst(node: ASTNode, variables: ReadonlyMap<string, number>): Worst {
	switch (node.op) {
		case "value":
			return { steps: 1, size: typeof node.args === "string" ? Math.ceil(node.args.length / CHARACTERS_A_STEP) : 1, element: 0 };
		case "id":
			return { steps: 1, size: variables.get(node.args) ?? 1, element: TEXT };
		case ".":
		case ".?": {
			const [receiver, name] = node.args;
			const inner = worst(receiver, variables);
			const list = receiver.op === "id" && receiver.args === "job" && Object.hasOwn(LISTS, name) ? LISTS[name] : undefined;
			return { steps: inner.steps + 1, ...(list ?? { size: TEXT, element: TEXT }) };
		}
		case "rcall":
			return method(node.args[0], worst(node.args[1], variables), node.args[2], variables);
		default:
			return together(node, variables);
	}
}

function method(name: string, receiver: Worst, args: readonly ASTNode[], variables: ReadonlyMap<string, number>): Worst {
	const [first, ...bodies] = args;
	if (LOOPS.includes(name) && first?.op === "id") {
		const inner = new Map([...variables, [first.args, receiver.element]]);
		const body = bodies.reduce((sum, arg) => sum + worst(arg, inner).steps, 0);
		return { ...receiver, steps: receiver.steps + 1 + receiver.size * (1 + body) };
	}
	const given = args.map((arg) => worst(arg, variables));
	const steps = given.reduce((sum, w) => sum + w.steps + w.size, receiver.steps + receiver.size + 1);
	return { steps, size: receiver.size, element: receiver.element };
}

/** Operators, calls and literals: all of their parts; comparisons and concatenations also count all entries of both sides. */
function together(node: ASTNode, variables: ReadonlyMap<string, number>): Worst {
	const parts = nodesIn(node).map((part) => worst(part, variables));
	const steps = parts.reduce((sum, part) => sum + part.steps, 1);
	const sizes = parts.reduce((sum, part) => sum + part.size, 0);
	const largest = Math.max(1, ...parts.map((part) => part.size));
	const element = Math.max(1, ...parts.map((part) => part.element));
	if (node.op === "list" || node.op === "map") return { steps, size: Math.max(1, parts.length), element: Math.max(element, largest) };
	if (node.op === "call") return { steps: steps + sizes, size: Math.max(TEXT, largest), element };
	const whole = node.op === "==" || node.op === "!=" || node.op === "in" || node.op === "+";
	return { steps: whole ? steps + sizes : steps, size: node.op === "+" ? sizes : largest, element };
}
