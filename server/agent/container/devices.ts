import { existsSync } from "node:fs";
import { type ContainerEngine, ContainerError, callEngine } from "./call-engine.ts";
import { findProgram } from "./find-engine.ts";

/** Programs of NVIDIA's container toolkit. Any one of them shows that it is installed. */
const TOOLKIT = ["nvidia-container-runtime", "nvidia-container-runtime-hook", "nvidia-ctk"];
const CDI_SPECS = ["/etc/cdi/nvidia.yaml", "/var/run/cdi/nvidia.yaml"];

export interface MachineLook {
	has(file: string): boolean;
	program(name: string): Promise<string | null>;
}

export function inspectMachine(searchPath: string): MachineLook {
	return { has: existsSync, program: (name) => findProgram(name, searchPath) };
}

/**
 * Arguments that give a container the machine's accelerators: NVIDIA GPUs if the job requests GPUs, a TPU's chips, and the RDMA
 * network cards of a gang.
 * @throws ContainerError if the engine cannot pass the GPUs on
 */
export async function deviceArguments(engine: ContainerEngine, machine: MachineLook, wantsGpus: boolean): Promise<string[]> {
	const args: string[] = [];
	if (wantsGpus && machine.has("/dev/nvidiactl")) args.push(...(await gpuArguments(engine, machine)));
	// From Google's instructions for running a TPU in a container.
	if (machine.has("/dev/accel0") || machine.has("/dev/vfio/0")) args.push("--privileged");
	// RDMA pins its buffers, which the default memlock limit forbids.
	else if (machine.has("/dev/infiniband")) args.push("--device", "/dev/infiniband", "--ulimit", "memlock=-1");
	return args;
}

async function gpuArguments(engine: ContainerEngine, machine: MachineLook): Promise<string[]> {
	const toolkit = (await Promise.all(TOOLKIT.map((name) => machine.program(name)))).some((file) => file !== null);
	const missing = `${engine.kind} on this instance cannot pass its NVIDIA GPUs to a container`;
	if (!toolkit && !CDI_SPECS.some((file) => machine.has(file))) {
		const todo = "use a machine image that includes it, such as the provider's deep learning image";
		throw new ContainerError("start", `${missing}, because the NVIDIA container toolkit is not installed; ${todo}`);
	}
	if (engine.kind === "docker") return ["--gpus", "all"];
	if (!CDI_SPECS.some((file) => machine.has(file))) {
		const ctk = await machine.program("nvidia-ctk");
		const made =
			ctk === null ? null : await callEngine({ ...engine, program: ctk }, ["cdi", "generate", "--output=/var/run/cdi/nvidia.yaml"]);
		if (!made?.ok)
			throw new ContainerError("start", `${missing}: could not create a CDI specification (${made?.complaint ?? "no nvidia-ctk"})`);
	}
	return ["--device", "nvidia.com/gpu=all"];
}
