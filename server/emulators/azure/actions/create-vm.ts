import { randomBytes, randomUUID } from "node:crypto";
import { usdToMicro } from "#server/kernel/money.ts";
import { durationOf, type FaultBehaviour } from "../../shared/faults.ts";
import { isAlive, newMachineRecord } from "../../shared/machine-record.ts";
import { ArmError, invalidParameter } from "../arm-error.ts";
import { readAvailabilitySet } from "../availability-sets.ts";
import type { AzureMachine } from "../machine.ts";
import { asyncHeaders, vmView } from "../views/vm-view.ts";
import { holderOfName, type World } from "../world.ts";
import { type ArmCall, type ArmReply, defineAction } from "./action.ts";
import { COMPUTE_VERSION, PATHS } from "./paths.ts";
import { readVmRequest, type VmRequest } from "./vm-request.ts";

const VM_NAME = /^[A-Za-z0-9]([A-Za-z0-9-]{0,62}[A-Za-z0-9])?$/;

/**
 * PUT by name. An existing machine with the same request is returned unchanged; a different request is rejected, because nothing
 * that this endpoint supports can be changed later. `If-None-Match: *` rejects any existing machine.
 */
export const createVm = defineAction<VmRequest>({
	name: "virtualMachines.createOrUpdate",
	method: "PUT",
	path: PATHS.vm,
	apiVersion: COMPUTE_VERSION,
	read: ({ body }) => readVmRequest(body),
	facts: ({ region, zone, vmSize, spot }) => ({
		region,
		zone: zone === null ? undefined : `${region}-${zone}`,
		instanceType: vmSize,
		spot,
	}),
	run(request, call) {
		const { world, path } = call;
		const { resourceGroupName = "", vmName = "" } = path;
		if (!VM_NAME.test(vmName)) throw new ArmError("InvalidResourceName", `'${vmName}' is not a name of a virtual machine.`);
		const holder = holderOfName(world, resourceGroupName, vmName);
		if (holder) return answerExisting(holder, request, call);
		if (world.closing) throw new ArmError("ServiceUnavailable", "The emulated Azure endpoint is stopping; nothing new is made.", 503);
		assertSold(world, request);
		const availabilitySet = readAvailabilitySet(world, request);
		const { failure, behaviours } = allocate(world, request);
		const machine = newMachine(world, {
			...request,
			...{ availabilitySet, resourceGroup: resourceGroupName, name: vmName, failure, behaviours },
		});
		world.book.add(machine);
		world.lifecycle.schedule(machine);
		return { status: 201, body: vmView(world, machine), headers: asyncHeaders(world, machine, "create") };
	},
});

function answerExisting(machine: AzureMachine, request: VmRequest, { world, headers }: ArmCall): ArmReply {
	if (headers["if-none-match"] === "*") throw new ArmError("PreconditionFailed");
	if (machine.state === "shutting-down") throw new ArmError("Conflict", `The virtual machine '${machine.name}' is being deleted.`);
	if (machine.fingerprint !== request.fingerprint) {
		throw new ArmError("PropertyChangeNotAllowed", `A property of the virtual machine '${machine.name}' cannot be changed.`, 409);
	}
	return { status: 200, body: vmView(world, machine) };
}

/** @throws ArmError if Azure rejects the offer immediately */
function assertSold({ catalog }: World, { region, zone, vmSize, spot, maxPriceUsd }: VmRequest): void {
	if (!catalog.regions.has(region)) {
		throw new ArmError(
			"LocationNotAvailableForResourceType",
			`The provided location '${region}' is not available for resource type 'Microsoft.Compute/virtualMachines'.`,
		);
	}
	if (!catalog.knows(vmSize)) throw invalidParameter("vmSize", `'${vmSize}' is not the name of a size.`);
	const size = catalog.sizeIn(region, vmSize);
	if (!size) throw new ArmError("SkuNotAvailable", `The requested size '${vmSize}' is currently not available in location '${region}'.`);
	if (zone !== null && !size.zones.includes(zone)) {
		const known = catalog.zonesIn(region).has(zone);
		if (!known)
			throw new ArmError(
				"AvailabilityZoneNotSupported",
				`The zone(s) '${zone}' for resource 'Microsoft.Compute/virtualMachines' is not supported in location '${region}'.`,
			);
		throw new ArmError(
			"SkuNotAvailable",
			`The requested size '${vmSize}' is currently not available in location '${region}' zone '${zone}'.`,
		);
	}
	if (!spot) return;
	if (size.spotMicroUsdPerHour === null)
		throw new ArmError("AzureSpotIsNotSupportedForThisVMSize", "Azure Spot is not supported for this VM size.");
	if (maxPriceUsd !== -1 && usdToMicro(String(maxPriceUsd)) < size.spotMicroUsdPerHour)
		throw new ArmError("SpotPriceGreaterThanProvidedMaxPrice");
}

/** Applies the fault script to a new machine. Errors that Azure finds only later become the machine's failure. */
function allocate(
	world: World,
	{ region, zone, vmSize, spot }: VmRequest,
): { failure: AzureMachine["failure"]; behaviours: FaultBehaviour[] } {
	const live = world.book.machines().filter(({ state, failure }) => isAlive(state) && failure === null).length;
	if (live >= world.options.maxLiveInstances) throw new ArmError("OperationNotAllowed");
	const facts = { action: createVm.name, region, zone: zone === null ? undefined : `${region}-${zone}`, instanceType: vmSize, spot };
	try {
		const behaviours = world.faults.take("launch", facts);
		const full = behaviours.some((behaviour) => behaviour.kind === "limited_capacity" && behaviour.available === 0);
		if (full) throw new ArmError(zone === null ? "AllocationFailed" : "ZonalAllocationFailed");
		return { failure: null, behaviours };
	} catch (error) {
		if (!(error instanceof ArmError) || !error.foundLater) throw error;
		return { failure: { code: error.code, message: error.message }, behaviours: [] };
	}
}

type NewMachine = VmRequest &
	Pick<AzureMachine, "availabilitySet" | "resourceGroup" | "name" | "failure"> & { behaviours: FaultBehaviour[] };

function newMachine(world: World, made: NewMachine): AzureMachine {
	const { availabilitySet, resourceGroup, name, region, zone, vmSize, spot, tags, fingerprint, customData, failure, behaviours } = made;
	const vanishing = behaviours.some(({ kind }) => kind === "vanish");
	const record = newMachineRecord({
		instanceId: randomUUID(),
		ordinal: world.book.nextOrdinal(),
		metadataSecret: randomBytes(16).toString("hex"),
		nowMs: world.options.clock(),
		bootDelayMs: world.options.bootDelayMs + durationOf(behaviours, "slow_boot"),
		invisibleMs: durationOf(behaviours, "invisible"),
		vanishAfterMs: vanishing ? durationOf(behaviours, "vanish") : null,
	});
	return {
		...record,
		// A machine that was never allocated cannot run; it waits for its deletion.
		...(failure ? { state: "stopped" as const } : {}),
		...{ availabilitySet, resourceGroup, name, region, zone, vmSize, spot, tags, fingerprint, customData, failure },
		request: made.shown,
		...{ deletingAtMs: null, deallocatingAtMs: null },
	};
}
