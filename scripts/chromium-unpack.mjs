// Unpacks the Chromium that npm brings into the temp folder, in a process of its own: TMPDIR names the place.
import chromium from "@sparticuz/chromium";

await chromium.executablePath();
