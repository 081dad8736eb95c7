import { redirect } from "next/navigation";

/** Settings begin with the sites. */
export default function SettingsPage() {
	redirect("/settings/sites");
}
