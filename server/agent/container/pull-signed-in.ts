import { mkdir, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { messageOf } from "../client.ts";
import { type RegistryLogin, registryOf } from "../registry/login.ts";
import type { ContainerEngine } from "./call-engine.ts";
import { type PulledImage, pullImage } from "./pull-image.ts";

export interface PullAccess {
	/** The agent's folder. */
	folder: string;
	/** Signs in with the machine's own identity. null if that does not apply to this registry. */
	registryLogin(host: string): Promise<RegistryLogin | null>;
	signal: AbortSignal;
	log(text: string): void;
}

/**
 * Pulls an image, signed in to a registry of the machine's own cloud with its identity.
 * @throws ContainerError; the signal's reason
 */
export async function pullSignedIn(engine: ContainerEngine, image: string, access: PullAccess): Promise<PulledImage> {
	const folder = path.join(access.folder, "registry");
	const environment = await signIn(image, folder, access);
	try {
		const { signal, log } = access;
		return await pullImage(engine, image, { signal, log, environment });
	} finally {
		await rm(folder, { recursive: true, force: true });
	}
}

/** Engine settings that sign in to the registry. Empty if the machine has no access. */
async function signIn(image: string, folder: string, { registryLogin, log }: PullAccess): Promise<Record<string, string>> {
	const host = registryOf(image.replace(/^docker:\/\//, ""));
	if (host === null) return {};
	try {
		const login = await registryLogin(host);
		if (login === null) return {};
		const auth = Buffer.from(`${login.user}:${login.password}`).toString("base64");
		const file = path.join(folder, "config.json");
		await mkdir(folder, { recursive: true, mode: 0o700 });
		await writeFile(file, JSON.stringify({ auths: { [host]: { auth } } }), { mode: 0o600 });
		log(`signing in to ${host} with the instance's identity`);
		// Docker's name of the folder, and podman's of the file.
		return { DOCKER_CONFIG: folder, REGISTRY_AUTH_FILE: file };
	} catch (error) {
		log(`could not sign in to ${host} with the instance's identity: ${messageOf(error)}`);
		return {};
	}
}
