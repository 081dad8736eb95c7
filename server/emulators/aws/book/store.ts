import { DAY_MS } from "#server/kernel/units.ts";
import { isOver } from "../../shared/machine-record.ts";
import { Pages } from "../../shared/pages.ts";
import { type Machine, type Reservation, reservationSchema } from "./records.ts";

/**
 * Amazon keeps a client token for at least 24 hours after the instance ends. This store keeps whole launches, for reconciling.
 */
const KEEP_MS = 30 * DAY_MS;

/** The state of the emulated cloud, with one page per launch and all its instances. */
export class Store {
	readonly #pages: Pages<Reservation>;
	readonly #machines = new Map<string, Machine>();
	readonly #byToken = new Map<string, Reservation>();
	#nextOrdinal = 0;

	constructor(stateDir: string, nowMs: number) {
		this.#pages = new Pages(stateDir, reservationSchema);
		for (const reservation of this.#pages.readAll()) this.#load(reservation, nowMs);
	}

	#load(reservation: Reservation, nowMs: number): void {
		const { reservationId, instances } = reservation;
		const forgotten = instances.every(({ state, endedAtMs }) => isOver(state) && (endedAtMs ?? nowMs) < nowMs - KEEP_MS);
		if (forgotten)
			this.#pages.remove(
				reservationId,
				instances.map(({ instanceId }) => instanceId),
			);
		else this.#index(reservation);
	}

	#index(reservation: Reservation): void {
		this.#byToken.set(tokenKey(reservation.region, reservation.clientToken), reservation);
		for (const instance of reservation.instances) {
			this.#machines.set(instance.instanceId, { reservation, instance });
			this.#nextOrdinal = Math.max(this.#nextOrdinal, instance.ordinal + 1);
		}
	}

	add(reservation: Reservation): void {
		this.save(reservation);
		this.#index(reservation);
	}

	save(reservation: Reservation): void {
		this.#pages.write(reservation.reservationId, reservation);
	}

	/** The number of the next launched instance. Assigned by `add`, so a failed launch leaves no gap. */
	nextOrdinal(): number {
		return this.#nextOrdinal;
	}

	machine(instanceId: string): Machine | undefined {
		return this.#machines.get(instanceId);
	}

	machineBySecret(secret: string): Machine | undefined {
		return this.machines().find(({ instance }) => instance.metadataSecret === secret);
	}

	machines(): Machine[] {
		return [...this.#machines.values()];
	}

	reservationByToken(region: string, clientToken: string): Reservation | undefined {
		return this.#byToken.get(tokenKey(region, clientToken));
	}

	folderOf(instanceId: string): string {
		return this.#pages.folderOf(instanceId);
	}
}

function tokenKey(region: string, clientToken: string): string {
	return `${region}\n${clientToken}`;
}
