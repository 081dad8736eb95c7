import { randomBytes } from "node:crypto";
import { durationOf, type FaultBehaviour } from "../../shared/faults.ts";
import { newMachineRecord } from "../../shared/machine-record.ts";
import type { CapacityReservation } from "../account-options.ts";
import type { InstanceRecord, Reservation } from "../book/records.ts";
import type { World } from "../world.ts";
import type { LaunchPlacement } from "./launch-placement.ts";
import type { LaunchRequest } from "./launch-request.ts";

/** A launch with all choices made. */
export interface Booking {
	region: string;
	fingerprint: string;
	launch: LaunchRequest;
	placement: LaunchPlacement;
	/** The reservation that the launch uses. */
	target: CapacityReservation | null;
	behaviours: readonly FaultBehaviour[];
	count: number;
}

/** Records the launch and its machines in one step. */
export function bookLaunch(world: World, booking: Booking): Reservation {
	const { region, fingerprint, launch, target, count } = booking;
	const first = world.store.nextOrdinal();
	const reservation: Reservation = {
		reservationId: `r-${hex(17)}`,
		region,
		clientToken: launch.clientToken,
		fingerprint,
		instanceType: launch.instanceType,
		imageId: launch.imageId,
		keyName: launch.keyName,
		rootDisk: launch.rootDisk,
		capacityReservation: target && { id: target.id, isBlock: launch.isBlock },
		placementGroup: launch.placementGroup,
		securityGroupIds: launch.securityGroupIds,
		userData: launch.userData,
		// A one-time spot request cannot be started again, so its machine is terminated in either case.
		shutdownBehaviour: launch.spot ? "terminate" : launch.shutdownBehaviour,
		instances: Array.from({ length: count }, (_, i) => newInstance(world, booking, i, first + i)),
	};
	world.store.add(reservation);
	return reservation;
}

function newInstance(world: World, { launch, placement, behaviours }: Booking, amiLaunchIndex: number, ordinal: number): InstanceRecord {
	const nowMs = world.options.clock();
	const vanishing = behaviours.some(({ kind }) => kind === "vanish");
	const record = newMachineRecord({
		instanceId: `i-${hex(17)}`,
		ordinal,
		metadataSecret: hex(32),
		nowMs,
		bootDelayMs: world.options.bootDelayMs + durationOf(behaviours, "slow_boot"),
		invisibleMs: durationOf(behaviours, "invisible"),
		vanishAfterMs: vanishing ? durationOf(behaviours, "vanish") : null,
	});
	return {
		...record,
		zone: placement.offer.zone,
		subnetId: placement.subnetId,
		amiLaunchIndex,
		stateTransitionReason: "",
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
	};
}

function hex(digits: number): string {
	return randomBytes(Math.ceil(digits / 2))
		.toString("hex")
		.slice(0, digits);
}
