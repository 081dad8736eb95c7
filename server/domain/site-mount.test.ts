import { describe, expect, it } from "vitest";
import { parseJobText } from "./job-file.ts";
import { mountPathOf, mountsOf, mountVariable, requestedMounts, type SourceForm, siteMountsSchema } from "./site-mount.ts";

const problemOf = (mount: Record<string, unknown>, forms: readonly SourceForm[] = ["folder", "export"]): string | null => {
	const result = siteMountsSchema(forms).safeParse([{ name: "imagenet", ...mount }]);
	return result.success ? null : (result.error.issues[0]?.message ?? "");
};

describe("mounts of a site", () => {
	it.each([
		["local", "/data/imagenet"],
		["nfs", "/mnt/already/there"],
		["nfs", "nfs.example.com:/export/imagenet"],
		["efs", "fs-0123456789abcdef0.efs.eu-west-1.amazonaws.com:/"],
		["filestore", "10.0.0.2:/vol1"],
		["azurefiles", "acme.file.core.windows.net:/acme/imagenet"],
		["lustre", "fs-0123.fsx.us-east-1.amazonaws.com@tcp:/abcdbev"],
		["lustre", "10.0.0.5@tcp:10.0.0.6@tcp:/scratch"],
	])("accepts %s %s", (type, source) => expect(problemOf({ type, source })).toBeNull());

	it.each([
		["nfs", "relative/path", /must be an absolute path/],
		["local", "/", /must not be the root folder/],
		["local", "/data/../etc", /must not contain \. or \.\./],
		["nfs", "host:/a/./b", /must not contain \. or \.\./],
		["local", "/data/a b", /must be an absolute path of letters/],
		["nfs", "host:/a,rw", /must be an absolute path of letters/],
		["nfs", "host:/a;reboot", /must be an absolute path of letters/],
		["nfs", "-o evil:/a", /must be a server and a path/],
		["nfs", "$(id):/a", /must be a server and a path/],
		["nfs", "host:/a\n/b", /must be an absolute path of letters/],
		["local", "host:/a", /for type local/],
		["lustre", "host:/a", /for type lustre/],
		["nfs", "pvc:imagenet", /must be an absolute path/],
		["ceph", "/data", /must be one of local, nfs/],
	])("rejects %s %j", (type, source, message) => expect(problemOf({ type, source })).toMatch(message));

	it("accepts claims only if the site can provide them", () => {
		expect(problemOf({ type: "lustre", source: "pvc:imagenet" }, ["folder", "export", "claim"])).toBeNull();
		expect(problemOf({ type: "nfs", source: "pvc:Imagenet" }, ["claim"])).toMatch(/PersistentVolumeClaim/);
	});

	it("rejects two mounts with one name, names that are not valid path parts, and unknown fields", () => {
		const one = { name: "a", type: "local", source: "/a" };
		expect(siteMountsSchema(["folder"]).safeParse([one, { ...one, source: "/b" }]).error?.issues[0]?.message).toMatch(/same name/);
		for (const name of ["A", "a/b", "..", "a_b", "-a", "", "a".repeat(33)]) expect(problemOf({ ...one, name })).toMatch(/1 to 32/);
		expect(problemOf({ ...one, options: "rw" })).toMatch(/options/i);
	});

	it("is read-only by default, and invalid settings have no mounts", () => {
		const mounts = mountsOf({ mounts: [{ name: "image-net", type: "local", source: "/data" }] });
		expect(mounts).toEqual([{ name: "image-net", type: "local", source: "/data", readOnly: true }]);
		expect(mountsOf({ mounts: [{ name: "a", type: "local", source: "data" }] })).toEqual([]);
		expect(mountsOf({})).toEqual([]);
		expect(requestedMounts(["image-net"], mounts, "site x")).toEqual(mounts);
		expect(() => requestedMounts(["other"], mounts, "site x")).toThrow("site x has no mount other");
		expect([mountVariable("image-net"), mountPathOf("image-net")]).toEqual(["SPILLWAY_MOUNT_IMAGE_NET", "/mnt/image-net"]);
	});
});

describe("mounts of a job", () => {
	const HEAD = "apiVersion: spillway/v1\nkind: Job\nmetadata: { name: a, team: t }\nspec:\n  command: [x]\n";

	it("are names, and are absent from the spec of a job without any", () => {
		expect(parseJobText(`${HEAD}  mounts: [imagenet, scratch]\n`).mounts).toEqual(["imagenet", "scratch"]);
		expect(parseJobText(HEAD)).not.toHaveProperty("mounts");
	});

	it("are reported with the line of an invalid one", () => {
		expect(() => parseJobText(`${HEAD}  mounts: [imagenet, "a/b"]\n`)).toThrow(/6:.*1 to 32|1 to 32/);
		expect(() => parseJobText(`${HEAD}  mounts: [a, a]\n`)).toThrow(/same mount twice/);
		const inMount = (path: string) => `${HEAD}  mounts: [a]\n  data: [{ uri: "s3://b/c", mount: ${path} }]\n`;
		for (const path of ["/mnt/a", "/mnt/a/b"]) expect(() => parseJobText(inMount(path))).toThrow(/is in the mount a/);
		expect(parseJobText(inMount("/mnt/ab")).mounts).toEqual(["a"]);
	});
});
