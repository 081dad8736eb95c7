import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { DAY_MS, HOUR_MS } from "#server/kernel/units.ts";
import { Pages } from "../../shared/pages.ts";
import { type OperationRecord, operationSchema } from "./records.ts";

/** Google keeps operations for at least 14 days. */
const KEEP_MS = 14 * DAY_MS;
/** How long the same request id returns the same operation. */
const REQUEST_ID_MS = HOUR_MS;

/** The operations of the emulated project, one page each, stored next to the records of its machines. */
export class OperationBook {
	readonly #pages: Pages<OperationRecord>;
	readonly #operations = new Map<string, OperationRecord>();

	constructor(stateDir: string, nowMs: number) {
		this.#pages = new Pages(join(stateDir, "operations"), operationSchema);
		for (const operation of this.#pages.readAll()) {
			if (operation.insertedAtMs < nowMs - KEEP_MS) this.#pages.remove(operation.name, []);
			else this.#operations.set(operation.name, operation);
		}
	}

	add(facts: Omit<OperationRecord, "id" | "name">): OperationRecord {
		const name = `operation-${facts.insertedAtMs}-${randomBytes(8).toString("hex")}`;
		const operation = { ...facts, id: newNumber(), name };
		this.#pages.write(name, operation);
		this.#operations.set(name, operation);
		return operation;
	}

	operation(name: string): OperationRecord | undefined {
		return this.#operations.get(name);
	}

	operations(): OperationRecord[] {
		return [...this.#operations.values()];
	}

	byRequestId(zone: string, requestId: string, nowMs: number): OperationRecord | undefined {
		return this.operations().find((op) => op.zone === zone && op.requestId === requestId && op.insertedAtMs > nowMs - REQUEST_ID_MS);
	}
}

/** An id in the format of Google's: 19 digits, too many for a JavaScript number. */
export function newNumber(): string {
	const digits = (randomBytes(8).readBigUInt64BE() % 9_000_000_000_000_000_000n) + 1_000_000_000_000_000_000n;
	return digits.toString();
}
