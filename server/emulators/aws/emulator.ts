import { type Emulator, startEmulator } from "../shared/emulator.ts";
import { textAnswer } from "../shared/http/answer.ts";
import { openPlacementGroups } from "./book/placement-groups.ts";
import { Store } from "./book/store.ts";
import { type BookedEc2Instance, bookedInstances } from "./booked-instances.ts";
import { Catalog } from "./catalog.ts";
import { DocumentSigner } from "./document-signer.ts";
import { ec2Faults } from "./ec2-faults.ts";
import { answerEc2 } from "./http/ec2-endpoint.ts";
import { answerJsonService, isForJsonService } from "./http/json-endpoint.ts";
import { answerMetadata } from "./http/metadata-endpoint.ts";
import { ec2Lifecycle } from "./lifecycle.ts";
import { type Ec2EmulatorOptions, resolveOptions } from "./options.ts";
import type { World } from "./world.ts";

/** The endpoint for the SDK: `new EC2Client({ endpoint: url, … })`. */
export type Ec2Emulator = Emulator<BookedEc2Instance>;

/** Starts an EC2 endpoint on loopback. Its instances are processes of this host. */
export function startEc2Emulator(given: Ec2EmulatorOptions): Promise<Ec2Emulator> {
	const options = resolveOptions(given);
	const catalog = new Catalog(options.catalog);
	const store = new Store(options.stateDir, options.clock());
	const placementGroups = openPlacementGroups(options.stateDir);
	const faults = ec2Faults();
	let url = "";
	const lifecycle = ec2Lifecycle(options, store, () => url);
	const signer = new DocumentSigner(options);
	const world: World = { options, catalog, store, placementGroups, lifecycle, faults, signer, url: () => url, closing: false };
	return startEmulator({
		endpointName: "emulated EC2 endpoint",
		options,
		regions: catalog.regions,
		faults,
		lifecycle,
		machine: (instanceId) => store.machine(instanceId)?.instance,
		instances: () => bookedInstances(world),
		async answer(request, path, nowMs) {
			// Amazon prints its certificates in its documentation; the emulator returns this one.
			if (path === "/instance-identity/certificate") return textAnswer(200, await signer.certificate());
			if (path.startsWith("/imds/")) return answerMetadata(world, request, path);
			if (path === "/" && isForJsonService(request)) return answerJsonService(world, request, nowMs);
			return path === "/" ? answerEc2(world, request, nowMs) : undefined;
		},
		onListening(address) {
			url = address;
		},
		onStopping() {
			world.closing = true;
		},
	});
}
