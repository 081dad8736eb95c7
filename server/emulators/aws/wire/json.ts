import { AssertionError, assert } from "#server/kernel/assert.ts";
import { Ec2Error } from "../ec2-error.ts";
import type { Shape } from "./shapes.ts";

/**
 * Checks a request of the JSON 1.1 protocol against Amazon's input shape, and returns its fields as paths.
 * @param refusal the service's code for an invalid request
 * @throws Ec2Error with that code
 */
export function checkJsonRequest(shape: Shape, value: unknown, refusal: string): ReadonlySet<string> {
	const paths = new Set<string>();
	const refuse = (path: string, why: string) => new Ec2Error(refusal, `${path || "The request"} ${why}.`);
	const visit = (at: Shape, given: unknown, path: string): void => {
		if (at.kind === "structure") {
			if (!isObject(given)) throw refuse(path, "must be an object");
			for (const name of at.required) if (given[name] === undefined) throw refuse(below(path, name), "must not be null");
			for (const [name, field] of Object.entries(given)) {
				const member = at.members.get(name);
				if (!member) throw refuse(below(path, name), "is not recognized");
				visit(member.shape(), field, below(path, name));
			}
		} else if (at.kind === "list") {
			if (!Array.isArray(given)) throw refuse(path, "must be a list");
			for (const item of given) visit(at.item(), item, path);
		} else {
			// In this protocol, times are numbers of seconds.
			if (typeof given !== (at.kind === "timestamp" ? "number" : at.kind)) throw refuse(path, `must be a ${at.kind}`);
			paths.add(path);
		}
	};
	visit(shape, value, "");
	return paths;
}

/**
 * A field that Amazon's output shape does not have is a programming error.
 * @throws AssertionError
 */
export function checkJsonAnswer(shape: Shape, value: unknown, path: string): void {
	if (value === undefined) return;
	if (shape.kind === "structure") {
		assert(isObject(value), `${path} must be an object`);
		for (const [name, field] of Object.entries(value)) {
			const member = shape.members.get(name);
			if (!member) throw new AssertionError(`Amazon's ${shape.name} has no field ${name} (${path})`);
			checkJsonAnswer(member.shape(), field, below(path, name));
		}
	} else if (shape.kind === "list") {
		assert(Array.isArray(value), `${path} must be a list`);
		for (const item of value) checkJsonAnswer(shape.item(), item, path);
	} else {
		assert(typeof value === shape.kind, `${path} must be a ${shape.kind}`);
	}
}

function below(path: string, name: string): string {
	return path === "" ? name : `${path}.${name}`;
}

function isObject(value: unknown): value is Record<string, unknown> {
	return typeof value === "object" && value !== null && !Array.isArray(value);
}
