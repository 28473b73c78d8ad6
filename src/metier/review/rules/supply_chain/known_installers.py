"""Installers that many honest skills name: run from their makers' own hosts, they are no finding of weight."""

from __future__ import annotations

KNOWN_INSTALLERS = (
    r"https?://(?:[\w-]+\.)*(?:"
    r"astral\.sh|bun\.sh|bun\.com|deno\.land|rustup\.rs|get\.docker\.com|docker\.com|brew\.sh|get\.helm\.sh|cli\.github\.com|ollama\.(?:com|ai)"
    r"|fly\.io|vercel\.com|supabase\.(?:com|io)|claude\.ai|anthropic\.com|opencode\.ai|get\.pnpm\.io|pnpm\.io|nodesource\.com|sdkman\.io"
    r"|starship\.rs|railway\.(?:app|com)|foundry\.paradigm\.xyz|elastic\.co|install\.python-poetry\.org|python-poetry\.org|pyenv\.run"
    r"|get\.k3s\.io|k3s\.io|tailscale\.com|nixos\.org|determinate\.systems|volta\.sh|fnm\.vercel\.app|mise\.run|mise\.jdx\.dev|get\.sdkman\.io"
    r"|sh\.rustup\.rs|sentry\.io|sentry\.dev|cloud\.google\.com|sdk\.cloud\.google\.com|dl\.google\.com|aka\.ms|microsoft\.com|dot\.net"
    r"|amazonaws\.com/(?:session-manager|amazon)|awscli\.amazonaws\.com|aws\.amazon\.com|heroku\.com|pulumi\.com|hashicorp\.com|datadoghq\.com"
    r"|stripe\.com|twilio\.com|linkerd\.io|istio\.io|fluxcd\.io|getcomposer\.org|cursor\.com|dagger\.io|convex\.dev|planetscale\.com|neon\.tech"
    r"|modal\.com|huggingface\.co|solana\.com|anza\.xyz|starkup\.sh|sh\.starkup\.dev|aptos\.dev|sui\.io|sonarsource\.com|snyk\.io|bootstrap\.pypa\.io"
    r"|get\.rvm\.io|rvm\.io|haskell\.org|julialang\.org|elixir-lang\.org|gleam\.run|ziglang\.org|scala-lang\.org|ghcup\.haskell\.org"
    r"|langfuse\.com|posthog\.com|resend\.com|render\.com|netlify\.com|cloudflare\.com|rclone\.org|tigerdata\.com|timescale\.com|redis\.io"
    r"|clickhouse\.com|duckdb\.org|install\.duckdb\.org|cockroachlabs\.com|mongodb\.com|grafana\.com|oh-my-posh\.dev|zed\.dev|warp\.dev|jetify\.com|devbox\.sh"
    r"|get\.jetify\.com|cli\.inference\.sh|community\.chocolatey\.org|chocolatey\.org|get\.scoop\.sh|coder\.com|gitlab\.com/gitlab-org|raw\.githubusercontent\.com/(?:Homebrew|nvm-sh|ohmyzsh|helm|pyenv|rbenv|asdf-vm|aquasecurity"
    r"|anchore|golangci|k3d-io|kubernetes|tj/n|junegunn|starship|astral-sh|denoland|anthropics|openai|google|microsoft|vercel|supabase|cloudflare"
    r"|hashicorp|aws|docker|ClickHouse|cosmtrek|air-verse|getsentry|elastic|dotnet|tilt-dev|rancher|lwouis|universal-ctags|infracost|terraform-linters"
    r"|tfsec|goreleaser|casey|oven-sh|pnpm|yarnpkg|Azure|babashka|GoogleCloudPlatform)/"
    r")"
)
"""One pattern of hosts and repositories, each belonging to the maker of the tool."""
