import { isAlive } from "../shared/machine-record.ts";
import type { CapacityReservation } from "./account-options.ts";
import { Ec2Error } from "./ec2-error.ts";
import type { World } from "./world.ts";

/** How many more machines fit. */
export function availableIn({ store }: World, { id, instances }: CapacityReservation): number {
	const taken = store
		.machines()
		.filter(({ reservation, instance }) => reservation.capacityReservation?.id === id && isAlive(instance.state));
	return Math.max(0, instances - taken.length);
}

/**
 * Returns the reservation that a launch uses. null if it names none, or if the account has none: then any name is accepted
 * without effect.
 * @throws Ec2Error if the reservation does not exist, has another type or is full, and if a block is not requested as a block
 */
export function targetOf(
	world: World,
	region: string,
	launch: { capacityReservationId: string | null; isBlock: boolean; instanceType: string; minCount: number },
): CapacityReservation | null {
	const { capacityReservations } = world.options;
	const { capacityReservationId: id, isBlock, instanceType, minCount } = launch;
	if (id === null && isBlock) throw wrongMarket();
	if (id === null || capacityReservations.length === 0) return null;
	const found = capacityReservations.find((one) => one.id === id && one.region === region);
	if (!found) throw new Ec2Error("InvalidCapacityReservationId.NotFound", `The capacity reservation '${id}' does not exist`);
	if ((found.isBlock ?? false) !== isBlock) throw wrongMarket();
	if (found.instanceType !== instanceType)
		throw new Ec2Error("InvalidParameterCombination", `The instance type of '${id}' is ${found.instanceType}, not ${instanceType}`);
	if (availableIn(world, found) < minCount)
		throw new Ec2Error(
			"ReservationCapacityExceeded",
			"The targeted Capacity Reservation does not have enough available instance capacity.",
		);
	return found;
}

/** EC2's wording. */
function wrongMarket(): Ec2Error {
	return new Ec2Error("InvalidParameterValue", "The market type (purchasing) option is not valid");
}
