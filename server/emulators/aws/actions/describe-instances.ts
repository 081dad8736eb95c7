import { DescribeInstances$, type DescribeInstancesRequest, type DescribeInstancesResult } from "@aws-sdk/client-ec2";
import { privateAddressOf } from "../../shared/private-address.ts";
import type { Machine, Reservation } from "../book/records.ts";
import { Ec2Error } from "../ec2-error.ts";
import { compileFilters, type FilterFields } from "../filters.ts";
import { takePage } from "../paging.ts";
import { reservationView, stateView } from "../views/instance-view.ts";
import { OWNER_ID, visibleMachines, type World } from "../world.ts";
import { defineAction } from "./action.ts";
import { requireMachines, stopDryRun } from "./instance-ids.ts";

function filterFields(world: World): FilterFields<Machine> {
	return {
		tags: ({ instance }) => instance.tags,
		fields: {
			"availability-zone": ({ instance }) => [instance.zone],
			"client-token": ({ reservation }) => [reservation.clientToken],
			"image-id": ({ reservation }) => [reservation.imageId],
			"instance-id": ({ instance }) => [instance.instanceId],
			// On-demand instances have no lifecycle; only spot and scheduled ones can be filtered by it.
			"instance-lifecycle": ({ instance }) => (instance.spot ? ["spot"] : []),
			"instance-state-code": ({ instance }) => [String(stateView(instance.state).Code)],
			"instance-state-name": ({ instance }) => [instance.state],
			"instance-type": ({ reservation }) => [reservation.instanceType],
			"key-name": ({ reservation }) => (reservation.keyName === null ? [] : [reservation.keyName]),
			"owner-id": () => [OWNER_ID],
			"private-ip-address": ({ instance }) => [privateAddressOf(instance.instanceId)],
			"reservation-id": ({ reservation }) => [reservation.reservationId],
			"spot-instance-request-id": ({ instance }) => (instance.spot ? [instance.spot.requestId] : []),
			"state-reason-code": ({ instance }) => (instance.stateReason ? [instance.stateReason.code] : []),
			"subnet-id": ({ instance }) => [instance.subnetId],
			"vpc-id": ({ reservation }) => [world.catalog.vpcOf(reservation.region)],
		},
	};
}

export const describeInstances = defineAction<DescribeInstancesRequest, DescribeInstancesResult>({
	operation: DescribeInstances$,
	supports: ["InstanceIds", "Filters", "MaxResults", "NextToken", "DryRun"],
	run(input, { world, region }) {
		const { InstanceIds: ids = [], Filters: filters, MaxResults: maxResults, NextToken: nextToken } = input;
		stopDryRun(input.DryRun);
		if (ids.length > 0 && maxResults !== undefined) {
			throw new Ec2Error("InvalidParameterCombination", "The parameter instancesSet cannot be used with the parameter maxResults");
		}
		const matches = compileFilters(filters, filterFields(world));
		const machines = (ids.length > 0 ? requireMachines(world, region, ids) : visibleMachines(world, region)).filter(matches);
		const page = takePage(machines, ({ instance }) => String(instance.ordinal).padStart(12, "0"), {
			action: "DescribeInstances",
			maxResults,
			nextToken,
			min: 5,
			max: 1_000,
		});
		const byReservation = new Map<Reservation, Machine[]>();
		for (const machine of page.items) byReservation.set(machine.reservation, [...(byReservation.get(machine.reservation) ?? []), machine]);
		return {
			Reservations: [...byReservation].map(([reservation, members]) => reservationView(world, reservation, members)),
			NextToken: page.nextToken,
		};
	},
});
