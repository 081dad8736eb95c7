import { z } from "zod";

/**
 * `local` is a folder on the site's machines. The others are kinds of file system; filestore and azurefiles are
 * mounted over NFS.
 */
export const MOUNT_TYPES = ["local", "nfs", "lustre", "efs", "filestore", "azurefiles"] as const;
export type MountType = (typeof MOUNT_TYPES)[number];

/** Maximum mounts of one site, and maximum mounts requested by one job. */
export const MOUNTS_MAX = 32;

/** No underscores: names are used in paths and variables, where `a-b` and `a_b` would collide. */
export const mountName = z
	.string()
	.regex(/^[a-z0-9]([a-z0-9-]{0,30}[a-z0-9])?$/, "must be 1 to 32 lower-case letters, digits and dashes, without a dash at either end");

/** No spaces, commas, quotes or shell characters, because sources become arguments, mount options and bind specifications. */
const FOLDER = /^\/[A-Za-z0-9._@+=/-]*$/;
const HOST = /^[A-Za-z0-9](?:[A-Za-z0-9.-]{0,252}[A-Za-z0-9])?$/;
/** `address@network`; several management servers are separated by colons. */
const LUSTRE_SERVERS = /^[A-Za-z0-9][A-Za-z0-9.-]{0,252}@[a-z0-9]{1,16}(?::[A-Za-z0-9][A-Za-z0-9.-]{0,252}@[a-z0-9]{1,16}){0,3}$/;
const CLAIM = /^pvc:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

/** `folder`: exists on the site's machines. `export`: `host:/path`, mounted for a job. `claim`: a PersistentVolumeClaim. */
export const SOURCE_FORMS = ["folder", "export", "claim"] as const;
export type SourceForm = (typeof SOURCE_FORMS)[number];

/**
 * An existing file system that a site offers to jobs. It contains no secrets: access is controlled by the network or
 * the machine's role.
 */
export interface SiteMount {
	name: string;
	type: MountType;
	source: string;
	readOnly: boolean;
}

/** The form of a valid source. */
export function sourceFormOf(source: string): SourceForm {
	if (source.startsWith("/")) return "folder";
	return source.startsWith("pvc:") ? "claim" : "export";
}

/** The server and the path of a source `host:/path`. */
export function exportOf(source: string): { server: string; path: string } {
	const at = source.indexOf(":/");
	return { server: source.slice(0, at), path: source.slice(at + 1) };
}

/** The environment variable that contains the path of a mount: `image-net` becomes `SPILLWAY_MOUNT_IMAGE_NET`. */
export function mountVariable(name: string): string {
	return `SPILLWAY_MOUNT_${name.toUpperCase().replaceAll("-", "_")}`;
}

/** Where a mount appears in containers and on cloud instances. */
export function mountPathOf(name: string): string {
	return `/mnt/${name}`;
}

/** The site setting `mounts`. `forms`: the sources that the site can provide. */
export function siteMountsSchema(forms: readonly SourceForm[]) {
	const mount = z
		.strictObject({
			name: mountName,
			type: z.enum(MOUNT_TYPES, `must be one of ${MOUNT_TYPES.join(", ")}`),
			source: z.string().max(1_024),
			readOnly: z.boolean().default(true),
		})
		.superRefine(({ type, source }, ctx) => {
			const problem = sourceProblem(type, source, forms);
			if (problem !== null) ctx.addIssue({ code: "custom", path: ["source"], message: problem });
		});
	return z
		.array(mount)
		.max(MOUNTS_MAX)
		.refine((mounts) => new Set(mounts.map(({ name }) => name)).size === mounts.length, "has two mounts with the same name");
}

function sourceProblem(type: MountType, source: string, forms: readonly SourceForm[]): string | null {
	const form = sourceFormOf(source);
	const accepted = `must be ${forms.map((known) => FORM_TEXTS[known]).join(" or ")}`;
	if (!forms.includes(form) || (form === "export" && !source.includes(":/"))) return accepted;
	if (form === "claim") return CLAIM.test(source) ? null : `must be ${FORM_TEXTS.claim}`;
	if (form === "folder") return folderProblem(source, false);
	if (type === "local") return `must be ${FORM_TEXTS.folder} for type local`;
	const { server, path } = exportOf(source);
	if (type === "lustre" ? !LUSTRE_SERVERS.test(server) : !HOST.test(server))
		return type === "lustre" ? "must be like 10.0.0.5@tcp:/fsname for type lustre" : `must be ${FORM_TEXTS.export}`;
	return folderProblem(path, true);
}

const FORM_TEXTS: Record<SourceForm, string> = {
	folder: "an absolute path such as /data/imagenet",
	export: "a server and a path such as nfs.example.com:/imagenet",
	claim: "a PersistentVolumeClaim such as pvc:imagenet",
};

function folderProblem(path: string, rootAllowed: boolean): string | null {
	if (!FOLDER.test(path)) return "must be an absolute path of letters, digits and . _ @ + = - /";
	const parts = path.split("/").slice(1);
	if (parts.some((part) => part === "." || part === "..")) return "must not contain . or .. as a part of the path";
	if (!rootAllowed && parts.every((part) => part === "")) return "must not be the root folder";
	return null;
}

const anySource = siteMountsSchema(SOURCE_FORMS);

/** The mounts in a site's settings. If any is invalid, which only a direct database write can cause, the result is empty. */
export function mountsOf(settings: Record<string, unknown>): SiteMount[] {
	return anySource.safeParse(settings["mounts"]).data ?? [];
}

/**
 * The mounts that a job requests, in its order.
 * @throws Error naming the first one that the site does not have
 */
export function requestedMounts(names: readonly string[] | undefined, mounts: readonly SiteMount[], place: string): SiteMount[] {
	return (names ?? []).map((name) => {
		const mount = mounts.find((one) => one.name === name);
		if (!mount) throw new Error(`${place} has no mount ${name}. Add it to the site's mounts, or remove it from the job`);
		return mount;
	});
}
