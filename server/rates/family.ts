import type { RatedProvider } from "./offers.ts";

/** Instance types of one family are parts of the same server: `p5.48xlarge` → `p5`, `a2-highgpu-8g` → `a2`. */
export function instanceFamilyOf(provider: RatedProvider, instanceType: string): string {
	if (provider === "aws") return instanceType.split(".")[0] ?? instanceType;
	if (provider === "gcp") return instanceType.split("-")[0] ?? instanceType;
	// Standard_NC24rs_v3 and Standard_NC6s_v3 share hardware; T4 machines have their own family name.
	return instanceType.replace(/^(Standard_[A-Z]+)\d+[a-z]*/, "$1");
}
