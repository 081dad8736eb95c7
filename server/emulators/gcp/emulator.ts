import { type Emulator, startEmulator } from "../shared/emulator.ts";
import { jsonAnswer } from "../shared/http/answer.ts";
import { MachineBook } from "../shared/machine-book.ts";
import { OperationBook } from "./book/operation-book.ts";
import { instanceSchema } from "./book/records.ts";
import { openResourcePolicies } from "./book/resource-policies.ts";
import { type BookedGceInstance, bookedInstances } from "./booked-instances.ts";
import { Catalog } from "./catalog.ts";
import { Expiry } from "./expiry.ts";
import { gceFaults } from "./gce-faults.ts";
import { answerCompute } from "./http/compute-endpoint.ts";
import { answerMetadata } from "./http/metadata-endpoint.ts";
import { answerCatalogue, CATALOGUE_PATH } from "./http/price-list-endpoint.ts";
import { IdentitySigner } from "./identity-signer.ts";
import { gceLifecycle } from "./lifecycle.ts";
import { type GceEmulatorOptions, resolveOptions } from "./options.ts";
import { openSliceRecords } from "./tpu/slice-records.ts";
import { answerTpu } from "./tpu/tpu-endpoint.ts";
import type { World } from "./world.ts";

/** The endpoint for the SDK, which splits it into protocol, host and port. */
export type GceEmulator = Emulator<BookedGceInstance>;

/** Starts a Compute Engine endpoint on loopback. Its machines are processes of this host. */
export function startGceEmulator(given: GceEmulatorOptions): Promise<GceEmulator> {
	const options = resolveOptions(given);
	const catalog = new Catalog(options.catalog);
	const nowMs = options.clock();
	const machines = new MachineBook(options.stateDir, instanceSchema, nowMs);
	const operations = new OperationBook(options.stateDir, nowMs);
	const resourcePolicies = openResourcePolicies(options.stateDir);
	const faults = gceFaults();
	let url = "";
	const lifecycle = gceLifecycle({ options, machines, operations, url: () => url });
	const expiry = new Expiry(options, lifecycle);
	const signer = new IdentitySigner(options.stateDir);
	const world: World = {
		options,
		catalog,
		machines,
		operations,
		resourcePolicies,
		slices: openSliceRecords(options.stateDir),
		lifecycle,
		expiry,
		signer,
		faults,
		url: () => url,
		closing: false,
	};
	return startEmulator({
		endpointName: "emulated Compute Engine endpoint",
		options,
		regions: catalog.regions,
		faults,
		lifecycle,
		machine: (instanceId) => machines.machine(instanceId),
		instances: () => bookedInstances(world),
		answer(request, path, nowMs) {
			if (path.startsWith("/imds/")) return answerMetadata(world, request, path);
			if (path === CATALOGUE_PATH) return answerCatalogue(world);
			if (path === "/oauth2/v3/certs") return jsonAnswer(200, signer.keys());
			if (path.startsWith("/v2/")) return answerTpu(world, request, path, nowMs);
			return path.startsWith("/compute/v1/") ? answerCompute(world, request, path, nowMs) : undefined;
		},
		onListening(address) {
			url = address;
			for (const machine of machines.machines()) expiry.watch(machine);
		},
		onStopping() {
			world.closing = true;
			expiry.close();
		},
	});
}
