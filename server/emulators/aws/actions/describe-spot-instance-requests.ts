import {
	DescribeSpotInstanceRequests$,
	type DescribeSpotInstanceRequestsRequest,
	type DescribeSpotInstanceRequestsResult,
	type SpotInstanceRequest,
} from "@aws-sdk/client-ec2";
import type { InstanceRecord, Machine } from "../book/records.ts";
import { Ec2Error } from "../ec2-error.ts";
import { compileFilters } from "../filters.ts";
import { takePage } from "../paging.ts";
import { instanceView, tagsView } from "../views/instance-view.ts";
import { visibleMachines, type World } from "../world.ts";
import { defineAction } from "./action.ts";
import { stopDryRun } from "./instance-ids.ts";

type Spot = NonNullable<InstanceRecord["spot"]>;

interface SpotRow extends Machine {
	spot: Spot;
}

const STATUS_MESSAGES: Record<Spot["statusCode"], string> = {
	fulfilled: "Your Spot request is fulfilled.",
	"marked-for-termination": "Your Spot Instance is marked for termination.",
	"instance-terminated-no-capacity":
		"Your Spot Instance was terminated because there is no Spot capacity available that matches your request.",
	"instance-terminated-by-user": "Spot instance was terminated due to user-initiated termination.",
	"instance-terminated-by-service": "Your Spot Instance was terminated because the emulated EC2 endpoint was stopped.",
};

export const describeSpotInstanceRequests = defineAction<DescribeSpotInstanceRequestsRequest, DescribeSpotInstanceRequestsResult>({
	operation: DescribeSpotInstanceRequests$,
	supports: ["SpotInstanceRequestIds", "Filters", "MaxResults", "NextToken", "DryRun"],
	run(input, { world, region }) {
		stopDryRun(input.DryRun);
		const ids = input.SpotInstanceRequestIds ?? [];
		const rows = visibleMachines(world, region).flatMap((machine): SpotRow[] =>
			machine.instance.spot ? [{ ...machine, spot: machine.instance.spot }] : [],
		);
		const missing = ids.find((id) => !rows.some(({ spot }) => spot.requestId === id));
		if (missing !== undefined) {
			throw new Ec2Error("InvalidSpotInstanceRequestID.NotFound", `The spot instance request ID '${missing}' does not exist`);
		}
		const matches = compileFilters<SpotRow>(input.Filters, {
			tags: ({ spot }) => spot.tags,
			fields: {
				"instance-id": ({ instance }) => [instance.instanceId],
				"launch.instance-type": ({ reservation }) => [reservation.instanceType],
				"launched-availability-zone": ({ instance }) => [instance.zone],
				"spot-instance-request-id": ({ spot }) => [spot.requestId],
				state: ({ spot }) => [stateOf(spot)],
				"status-code": ({ spot }) => [spot.statusCode],
				type: () => ["one-time"],
			},
		});
		const asked = rows.filter((row) => (ids.length === 0 || ids.includes(row.spot.requestId)) && matches(row));
		const page = takePage(asked, ({ instance }) => String(instance.ordinal).padStart(12, "0"), {
			action: "DescribeSpotInstanceRequests",
			maxResults: input.MaxResults,
			nextToken: input.NextToken,
			min: 5,
			max: 1_000,
		});
		return { SpotInstanceRequests: page.items.map((row) => requestView(world, row)), NextToken: page.nextToken };
	},
});

function stateOf(spot: Spot): "active" | "closed" {
	return spot.statusCode === "fulfilled" || spot.statusCode === "marked-for-termination" ? "active" : "closed";
}

function requestView(world: World, row: SpotRow): SpotInstanceRequest {
	const { spot, instance, reservation } = row;
	const { InstanceType, ImageId } = instanceView(world, row);
	return {
		SpotInstanceRequestId: spot.requestId,
		InstanceId: instance.instanceId,
		CreateTime: new Date(instance.launchedAtMs),
		State: stateOf(spot),
		Status: { Code: spot.statusCode, Message: STATUS_MESSAGES[spot.statusCode], UpdateTime: new Date(spot.statusAtMs) },
		Type: "one-time",
		SpotPrice: spot.maxPriceUsd ?? undefined,
		InstanceInterruptionBehavior: "terminate",
		LaunchedAvailabilityZone: instance.zone,
		LaunchSpecification: { ImageId, InstanceType, KeyName: reservation.keyName ?? undefined },
		ProductDescription: "Linux/UNIX",
		Tags: tagsView(spot.tags),
	};
}
