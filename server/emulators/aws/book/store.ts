import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DAY_MS } from "#server/kernel/units.ts";
import { type InstanceRecord, isOver, type Machine, type Reservation, reservationSchema } from "./records.ts";

/** Amazon keeps a client token for at least 24 hours after the end; this book keeps whole launches, for reconciling. */
const KEEP_MS = 30 * DAY_MS;

/**
 * What the emulated cloud knows, one file a launch, written with a rename: after `kill -9` a launch is there with
 * all its instances or not at all.
 */
export class Store {
	readonly #bookDir: string;
	readonly #instancesDir: string;
	readonly #reservations = new Map<string, Reservation>();
	readonly #machines = new Map<string, Machine>();
	readonly #byToken = new Map<string, Reservation>();
	#nextOrdinal = 0;

	constructor(stateDir: string, nowMs: number) {
		this.#bookDir = join(stateDir, "book");
		this.#instancesDir = join(stateDir, "instances");
		mkdirSync(this.#bookDir, { recursive: true, mode: 0o700 });
		mkdirSync(this.#instancesDir, { recursive: true, mode: 0o700 });
		for (const file of readdirSync(this.#bookDir).filter((name) => name.endsWith(".json"))) this.#load(join(this.#bookDir, file), nowMs);
	}

	#load(path: string, nowMs: number): void {
		const reservation = readReservation(path);
		if (reservation.instances.every(({ state, endedAtMs }) => isOver(state) && (endedAtMs ?? nowMs) < nowMs - KEEP_MS)) {
			for (const { instanceId } of reservation.instances) rmSync(this.folderOf(instanceId), { recursive: true, force: true });
			rmSync(path);
			return;
		}
		this.#index(reservation);
	}

	#index(reservation: Reservation): void {
		this.#reservations.set(reservation.reservationId, reservation);
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
		const path = join(this.#bookDir, `${reservation.reservationId}.json`);
		writeFileSync(`${path}.new`, JSON.stringify(reservation), { mode: 0o600 });
		renameSync(`${path}.new`, path);
	}

	/** The number of the next launched instance. Taken by `add`, so a launch that fails leaves no gap. */
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
		return join(this.#instancesDir, instanceId);
	}
}

/** Whether other calls than the launch itself see it. */
export function isVisible(instance: InstanceRecord, nowMs: number, terminatedVisibleMs: number): boolean {
	if (instance.vanished || nowMs < instance.visibleFromMs) return false;
	return !isOver(instance.state) || nowMs < (instance.endedAtMs ?? nowMs) + terminatedVisibleMs;
}

function tokenKey(region: string, clientToken: string): string {
	return `${region}\n${clientToken}`;
}

function readReservation(path: string): Reservation {
	try {
		return reservationSchema.parse(JSON.parse(readFileSync(path, "utf8")));
	} catch (cause) {
		throw new Error(`The emulated cloud's book has an unreadable page: ${path}. Move it away to start without that launch.`, { cause });
	}
}
