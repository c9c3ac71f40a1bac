// Starts Scalar on the document of this service, with everything off that would ask another.
"use strict";

const settings = JSON.parse(document.getElementById("settings").textContent);
const root = new URL(settings.root, location.href);

function credentials(developer) {
  if (!developer) return {};
  return {
    preferredSecurityScheme: "auth",
    securitySchemes: {
      auth: { value: developer.token }, token: { value: developer.token }, bearer: { token: developer.token },
      apiKey: { value: developer.apiKey },
    },
  };
}

Scalar.createApiReference("#reference", {
  url: new URL("openapi.json", root).href,
  // The address by which the reader came: through a prefix, or by another name.
  servers: [{ url: root.href.replace(/\/$/, "") }],
  authentication: credentials(settings.developer),
  persistAuth: false,
  withDefaultFonts: false,
  telemetry: false,
  proxyUrl: "",
  agent: { disabled: true },
  mcp: { disabled: true },
  hideClientButton: true,
  showDeveloperTools: "never",
  documentDownloadType: "none",
});
