import { randomBytes } from "node:crypto";
import type { InstanceRecord, Reservation } from "../book/records.ts";
import { durationOf, type FaultBehaviour } from "../faults.ts";
import type { World } from "../world.ts";
import type { LaunchPlacement } from "./launch-placement.ts";
import type { LaunchRequest } from "./launch-request.ts";

/** A launch for which everything is decided. */
export interface Booking {
	region: string;
	fingerprint: string;
	launch: LaunchRequest;
	placement: LaunchPlacement;
	behaviours: readonly FaultBehaviour[];
	count: number;
}

/** Writes the launch and its machines into the book, all at once. */
export function bookLaunch(world: World, booking: Booking): Reservation {
	const { region, fingerprint, launch, count } = booking;
	const first = world.store.nextOrdinal();
	const reservation: Reservation = {
		reservationId: `r-${hex(17)}`,
		region,
		clientToken: launch.clientToken,
		fingerprint,
		instanceType: launch.instanceType,
		imageId: launch.imageId,
		keyName: launch.keyName,
		securityGroupIds: launch.securityGroupIds,
		userData: launch.userData,
		// A one-time spot request cannot be started again: its machine is terminated either way.
		shutdownBehaviour: launch.spot ? "terminate" : launch.shutdownBehaviour,
		instances: Array.from({ length: count }, (_, i) => newInstance(world, booking, i, first + i)),
	};
	world.store.add(reservation);
	return reservation;
}

function newInstance(world: World, { launch, placement, behaviours }: Booking, amiLaunchIndex: number, ordinal: number): InstanceRecord {
	const nowMs = world.options.clock();
	const vanishing = behaviours.some(({ kind }) => kind === "vanish");
	return {
		instanceId: `i-${hex(17)}`,
		ordinal,
		zone: placement.offer.zone,
		subnetId: placement.subnetId,
		amiLaunchIndex,
		state: "pending",
		launchedAtMs: nowMs,
		bootDueAtMs: nowMs + world.options.bootDelayMs + durationOf(behaviours, "slow_boot"),
		runningAtMs: null,
		endingAtMs: null,
		endDueAtMs: null,
		endedAtMs: null,
		visibleFromMs: nowMs + durationOf(behaviours, "invisible"),
		vanishAtMs: vanishing ? nowMs + durationOf(behaviours, "vanish") : null,
		vanished: false,
		stateReason: null,
		stateTransitionReason: "",
		notice: null,
		spot: launch.spot
			? {
					requestId: `sir-${hex(8)}`,
					maxPriceUsd: launch.maxPriceUsd,
					tags: { ...launch.spotRequestTags },
					statusCode: "fulfilled",
					statusAtMs: nowMs,
				}
			: null,
		tags: { ...launch.instanceTags },
		metadataSecret: hex(32),
		guest: null,
	};
}

function hex(digits: number): string {
	return randomBytes(Math.ceil(digits / 2))
		.toString("hex")
		.slice(0, digits);
}
