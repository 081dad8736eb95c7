import type { z } from "zod";
import { DAY_MS } from "#server/kernel/units.ts";
import { isOver, type MachineRecord } from "./machine-record.ts";
import { Pages } from "./pages.ts";

/** Machines are kept this long after their end, for reconciling. */
const KEEP_MS = 30 * DAY_MS;

/** The state of a cloud that launches machines one by one: one page per machine, in launch order. */
export class MachineBook<M extends MachineRecord> {
	readonly #pages: Pages<M>;
	readonly #machines = new Map<string, M>();
	#nextOrdinal = 0;

	constructor(stateDir: string, schema: z.ZodType<M>, nowMs: number) {
		this.#pages = new Pages(stateDir, schema);
		for (const machine of this.#pages.readAll().sort((a, b) => a.ordinal - b.ordinal)) {
			const { instanceId, state, endedAtMs } = machine;
			if (isOver(state) && (endedAtMs ?? nowMs) < nowMs - KEEP_MS) this.#pages.remove(instanceId, [instanceId]);
			else this.#index(machine);
		}
	}

	#index(machine: M): void {
		this.#machines.set(machine.instanceId, machine);
		this.#nextOrdinal = Math.max(this.#nextOrdinal, machine.ordinal + 1);
	}

	add(machine: M): void {
		this.save(machine);
		this.#index(machine);
	}

	save(machine: M): void {
		this.#pages.write(machine.instanceId, machine);
	}

	/** The number of the next launched machine. Assigned by `add`, so a failed launch leaves no gap. */
	nextOrdinal(): number {
		return this.#nextOrdinal;
	}

	machine(instanceId: string): M | undefined {
		return this.#machines.get(instanceId);
	}

	machineBySecret(secret: string): M | undefined {
		return this.machines().find(({ metadataSecret }) => metadataSecret === secret);
	}

	machines(): M[] {
		return [...this.#machines.values()];
	}

	folderOf(instanceId: string): string {
		return this.#pages.folderOf(instanceId);
	}
}
